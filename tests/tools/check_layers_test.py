"""Tests of tools/check_layers.py: each rule finds its offence, and nothing in allowed code."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_layers


def offences(path, text):
    return [what for _, what, fatal in check_layers.offences_of_file(path, text) if fatal]


class CheckLayers(unittest.TestCase):
    def test_a_folder_may_include_itself_and_earlier_ones(self):
        text = '#include "tandem/env/env.h"\n#include "tandem/base/error.h"\n#include <vector>\n'
        self.assertEqual(offences("src/tandem/env/vec_env.cc", text), [])

    def test_a_folder_may_not_include_later_ones(self):
        (what,) = offences("src/tandem/env/vec_env.cc", '#include "tandem/nn/network.h"\n')
        self.assertIn("env may not include tandem/nn/network.h", what)

    def test_foreign_headers_stay_where_they_belong(self):
        for header in ("ale/ale_interface.hpp", "ATen/Tensor.h", "mujoco/mujoco.h", "c10/util/x.h"):
            self.assertEqual(len(offences("src/tandem/algo/a2c.cc", f"#include <{header}>\n")), 1)
        self.assertEqual(
            offences("src/tandem/nn/torch/torch_network.cc", "#include <ATen/Tensor.h>\n"), []
        )
        self.assertEqual(
            offences("plugins/atari/atari_env.cc", "#include <ale/ale_interface.hpp>\n"), []
        )

    def test_plugins_see_environments_only(self):
        self.assertEqual(offences("plugins/atari/a.cc", '#include "tandem/env/env.h"\n'), [])
        self.assertEqual(len(offences("plugins/atari/a.cc", '#include "tandem/algo/a2c.h"\n')), 1)

    def test_headers_need_pragma_once(self):
        self.assertEqual(len(offences("src/tandem/base/a.h", "int x;\n")), 1)
        self.assertEqual(offences("src/tandem/base/a.h", "#pragma once\n"), [])

    def test_length(self):
        self.assertEqual(offences("src/tandem/base/a.cc", "\n" * 450), [])
        self.assertEqual(len(offences("src/tandem/base/a.cc", "\n" * 451)), 1)


if __name__ == "__main__":
    unittest.main()
