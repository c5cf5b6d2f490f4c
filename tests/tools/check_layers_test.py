"""Tests of tools/check_layers.py: each rule finds its offence, and nothing in allowed code."""

import sys
import tempfile
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

    def test_a_paper_may_not_include_another(self):
        for path, header, wrong in (
            ("systems/paac/paac.cc", "systems/a3c/a3c.h", 1),
            ("systems/paac/paac.cc", "systems/common/minibatches.h", 0),
            ("systems/paac/paac.cc", "systems/paac/paac.h", 0),
            ("systems/common/drain.h", "systems/ga3c/ga3c.h", 1),
            ("systems/catalogue.cc", "systems/paac/paac_system.h", 0),
            ("nn/kernels/dense.cc", "nn/composed/mlp.h", 1),
        ):
            text = f'#pragma once\n#include "tandem/{header}"\n'
            self.assertEqual(len(offences(f"src/tandem/{path}", text)), wrong, (path, header))

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

    def test_public_headers_and_examples_include_public_headers_only(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            files = {
                "cmake/public_headers.txt": "# words\ntandem/env/env.h\ntandem/env/gone.h\n",
                "src/tandem/env/env.h": '#include "tandem/env/inner.h"\n',
                "src/tandem/env/inner.h": "",
                "examples/own/own.cc": '#include "tandem/env/env.h"\n#include "tandem/io/csv.h"\n',
            }
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = list(check_layers.offences_of_public_headers(root))
        self.assertEqual(
            [(path, line) for path, line, _ in found],
            [
                ("cmake/public_headers.txt", 1),
                ("src/tandem/env/env.h", 1),
                ("examples/own/own.cc", 2),
            ],
        )
        self.assertIn("tandem/env/inner.h is not in cmake/public_headers.txt", found[1][2])

    def test_headers_need_pragma_once(self):
        self.assertEqual(len(offences("src/tandem/base/a.h", "int x;\n")), 1)
        self.assertEqual(offences("src/tandem/base/a.h", "#pragma once\n"), [])

    def test_length(self):
        self.assertEqual(offences("src/tandem/base/a.cc", "\n" * 450), [])
        self.assertEqual(len(offences("src/tandem/base/a.cc", "\n" * 451)), 1)


if __name__ == "__main__":
    unittest.main()
