"""Tests of tools/check_system_names.py: each rule finds its offence, and nothing else does."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_system_names

NAMES = ["paac", "a3c"]


def offences(path, text):
    return [what for _, what in check_system_names.offences_of_file(path, text, NAMES)]


class CheckSystemNames(unittest.TestCase):
    def test_a_comparison_with_a_name_is_found(self):
        (what,) = offences("src/tandem/study/a.cc", 'if (name == "paac") return 1;\n')
        self.assertIn("names the system paac", what)

    def test_keys_and_log_keys_are_found(self):
        for code in (
            '"a3c.t_max"',
            '"raise a3c.t_max, please"',
            '"a3c/agents"',
            "config.a3c.t_max",
        ):
            self.assertEqual(len(offences("src/tandem/acting/a.cc", f"f({code});\n")), 1, code)

    def test_a_system_knows_itself_and_its_study_does(self):
        code = 'f("paac.envs", "paac");\n'
        self.assertEqual(offences("src/tandem/systems/paac/paac.cc", code), [])
        self.assertEqual(offences("src/tandem/study/paac/a2c.cc", code), [])
        self.assertNotEqual(offences("src/tandem/systems/a3c/a3c.cc", code), [])
        self.assertNotEqual(offences("src/tandem/study/sweep.cc", code), [])

    def test_a_look_into_its_headers_is_found(self):
        code = '#include "tandem/systems/paac/paac.h"\n'
        self.assertEqual(len(offences("src/tandem/app/a.cc", code)), 1)
        self.assertEqual(offences("src/tandem/systems/catalogue.cc", code), [])

    def test_comments_includes_and_examples_are_free(self):
        for code in (
            '// as "paac" does',
            '#include "tandem/systems/system.h"',
            'footer("  tandem train paac --config paac/atari");',
            'constexpr auto kFooter = R"(\n  see paac.envs\n)";',
        ):
            self.assertEqual(offences("src/tandem/app/a.cc", code + "\n"), [], code)

    def test_a_network_may_share_a_systems_name_where_it_is_defined(self):
        code = 'if (config.arch == "impala") return layers;\n'
        names = ["impala"]
        find = check_system_names.offences_of_file
        self.assertEqual(list(find("src/tandem/nn/architecture.cc", code, names)), [])
        self.assertEqual(len(list(find("src/tandem/nn/network.cc", code, names))), 1)

    def test_the_systems_are_the_folders(self):
        names = check_system_names.system_names(Path(__file__).parents[2])
        self.assertIn("paac", names)
        self.assertNotIn("common", names)


if __name__ == "__main__":
    unittest.main()
