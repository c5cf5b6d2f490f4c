"""Versions, names and lists that several files repeat must agree, so that a wheel is whole.

Seen failing with another version in packages/atari/CMakeLists.txt.
"""

import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

from tandem_program.plugins import PLUGINS  # noqa: E402
from tandem_track.tracker import PACKAGES  # noqa: E402


def text(name):
    return (ROOT / name).read_text()


def project(name):
    return tomllib.loads(text(name))["project"]


def version_by(name):
    """The version that the build backend finds for a pyproject.toml, by its own rule."""
    rule = tomllib.loads(text(name))["tool"]["scikit-build"]["metadata"]["version"]
    return re.search(rule["regex"], (ROOT / name).with_name(rule["input"]).read_text())["value"]


class Metadata(unittest.TestCase):
    def test_all_versions_are_that_of_cmake(self):
        version = re.search(r"project\(tandem VERSION ([0-9.]+)", text("CMakeLists.txt"))[1]
        for name in ("pyproject.toml", *(f"packages/{p}/pyproject.toml" for p in PLUGINS)):
            self.assertEqual(version_by(name), version, name)

    def test_torch_is_the_one_that_set_up_installs(self):
        version = re.search(r"^torch_version=(.*)$", text("tools/setup.sh"), re.MULTILINE)[1]
        extra = project("pyproject.toml")["optional-dependencies"]["torch"]
        self.assertEqual(extra, [f"torch=={version}"])

    def test_only_what_holds_parts_of_ale_or_torcs_is_under_their_licences(self):
        self.assertEqual(project("pyproject.toml")["license"], "Apache-2.0")
        self.assertEqual(project("packages/mujoco/pyproject.toml")["license"], "Apache-2.0")
        atari = project("packages/atari/pyproject.toml")
        self.assertEqual(atari["license"], "GPL-2.0-only AND Apache-2.0")
        torcs = project("packages/torcs/pyproject.toml")
        self.assertEqual(torcs["license"], "Apache-2.0 AND GPL-2.0-or-later")
        for name, package in (("atari", atari), ("torcs", torcs)):
            self.assertIn("COPYING", package["license-files"])
            copying = text(f"packages/{name}/COPYING")
            self.assertIn("GNU GENERAL PUBLIC LICENSE", copying)
            self.assertIn("Version 2, June 1991", copying)

    def test_each_tracker_has_an_extra(self):
        extras = project("pyproject.toml")["optional-dependencies"]
        for tracker, package in PACKAGES.items():
            self.assertEqual(re.match(r"[\w-]+", extras[tracker][0])[0], package)
            self.assertTrue((ROOT / f"python/tandem_track/to_{tracker}.py").exists())
            self.assertIn(f'"{tracker}"', text("src/tandem/app/cmd_track.cc"))

    def test_the_installer_knows_the_packages(self):
        folders = {path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")}
        self.assertEqual(folders, set(PLUGINS))
        for name, plugin in PLUGINS.items():
            self.assertEqual(
                project(f"packages/{name}/pyproject.toml")["name"], plugin.distribution
            )
            self.assertTrue((ROOT / plugin.script).exists(), plugin.script)
            self.assertIn(f"make_source {name} {plugin.script}", text("tools/make_wheel.sh"))
            self.assertIn(plugin.variable, text(f"packages/{name}/CMakeLists.txt"))
            self.assertIn(plugin.variable, text(f"plugins/{name}/CMakeLists.txt"))


if __name__ == "__main__":
    unittest.main()
