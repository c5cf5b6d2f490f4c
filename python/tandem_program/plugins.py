"""The plug-ins that can be installed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plugin:
    """A plug-in whose source is a distribution of its own, built on the user's machine."""

    name: str
    library: str  # the step that brings the library it needs, with the licence of that library
    script: str  # makes that step, and puts the library into a folder
    variable: str  # of CMake: that folder
    duration: str  # of the script
    programs: tuple[str, ...]  # that the script needs
    environment: str  # one of its environments

    @property
    def distribution(self) -> str:
        return f"tandem-rl-{self.name}"

    @property
    def file(self) -> str:
        return f"tandem_{self.name}.so"

    def archive(self, version: str) -> str:
        return f"{self.distribution.replace('-', '_')}-{version}.tar.gz"


PLUGINS = {
    "atari": Plugin(
        name="atari",
        library="building the Arcade Learning Environment, GPL-2.0-only, from its source",
        script="tools/build_ale.sh",
        variable="TANDEM_ALE_DIR",
        duration="1 to 2 minutes",
        programs=("bash", "tar", "patch", "c++"),
        environment="atari:Pong",
    ),
    "mujoco": Plugin(
        name="mujoco",
        library="downloading MuJoCo and the models of dm_control, Apache-2.0",
        script="tools/build_mujoco.sh",
        variable="TANDEM_MUJOCO_DIR",
        duration="half a minute",
        programs=("bash", "c++"),
        environment="mujoco:cartpole-swingup",
    ),
    "football": Plugin(
        name="football",
        library="building the engine of Google Research Football, Apache-2.0, from its source",
        script="tools/build_football.sh",
        variable="TANDEM_FOOTBALL_DIR",
        duration="1 to 3 minutes",
        programs=("bash", "tar", "patch", "c++", "pkg-config"),
        environment="football:academy_empty_goal_close",
    ),
    "doom": Plugin(
        name="doom",
        library="downloading ViZDoom's engine (licences: MIT, ZDoom's) and building its client",
        script="tools/build_doom.sh",
        variable="TANDEM_DOOM_DIR",
        duration="a minute",
        programs=("bash", "tar", "patch", "c++"),
        environment="doom:basic",
    ),
    "torcs": Plugin(
        name="torcs",
        library="building TORCS, GPL-2+, from Debian's source",
        script="tools/build_torcs.sh",
        variable="TANDEM_TORCS_DIR",
        duration="1 to 2 minutes",
        programs=("bash", "apt-get", "tar", "xz", "patch", "c++"),
        environment="torcs:slow_car",
    ),
}
