#!/usr/bin/env bash
# Sets up what a plug-in needs and builds it, in this clone; `tandem install` calls this.
#
# usage: tools/install_plugin.sh PLUGIN BUILD_FOLDER [--force]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

plugin=$1
build=$2

# The set-up's stage that has what this plug-in needs.
case $plugin in
  atari) stage=program library=ale ;;
  mujoco) stage=all library=mujoco ;;
  football) stage=football library=football ;;
  doom) stage=doom library=doom ;;
  torcs) stage=torcs library=torcs ;;
  *)
    echo "usage: tools/install_plugin.sh atari|mujoco|football|doom|torcs BUILD_FOLDER [--force]" >&2
    exit 2
    ;;
esac
if [[ ${3:-} == --force ]]; then rm -f ".deps/$library/stamp" ".deps/$library/tandem-stamp"; fi

tools/setup.sh "$stage"
cmake -S . -B "$build" >/dev/null
cmake --build "$build" --target "tandem_$plugin"
echo "the plug-in $plugin is built; tandem envs lists its environments"
