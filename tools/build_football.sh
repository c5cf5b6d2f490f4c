#!/usr/bin/env bash
# Builds the engine of Google Research Football (Apache-2.0) from its own source package, with the
# changes of plugins/football/patches, into DEST (default: .deps/football of this checkout) for the
# football plug-in: library, headers, data and font. One to three minutes on two cores; does nothing when DEST
# is already there. $PYTHON names another Python.
set -euo pipefail

version=2.10.2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
patches=$root/plugins/football/patches
scenarios=$root/tools/football_scenarios.py
stamp=$(cat "${BASH_SOURCE[0]}" "$scenarios" "$patches"/*.{patch,cmake} | sha256sum)
dest=${1:-$root/.deps/football}
python=${PYTHON:-$root/.venv/bin/python}
command -v "$python" >/dev/null || python=python3

if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "the football engine $version is already in $dest"
  exit 0
fi

fail() {
  echo "build_football.sh: $1" >&2
  [ -f "$log" ] && tail -n 15 "$log" >&2
  echo "build_football.sh: $2" >&2
  exit 1
}

log=
for program in cmake c++ pkg-config tar patch sed "$python"; do
  command -v "$program" >/dev/null || fail "$program is missing" \
    "install it: apt-get install cmake g++ pkg-config tar patch sed python3 python3-pip"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# need PACKAGE HEADER: stops unless the compiler finds the header.
need() {
  read -ra flags <<<"$(pkg-config --cflags sdl2 2>/dev/null || true)"
  c++ -fsyntax-only -x c++ "${flags[@]}" - <<<"#include <$2>" >"$log" 2>&1 ||
    fail "the header $2 is missing" "install it: apt-get install $1"
}
need libsdl2-dev SDL.h
need libsdl2-ttf-dev SDL_ttf.h
need libsdl2-gfx-dev SDL2_rotozoom.h
need libboost-dev boost/circular_buffer.hpp
need libboost-filesystem-dev boost/filesystem.hpp
need libboost-thread-dev boost/thread/condition.hpp
need libboost-system-dev boost/system/error_code.hpp
need libegl-dev EGL/egl.h
need libgl-dev GL/gl.h
c++ -o "$work/linked" -x c++ - -lOpenGL <<<"int main() {}" >"$log" 2>&1 ||
  fail "the library OpenGL is missing" "install it: apt-get install libopengl-dev"
: >"$log"

# To download a source package, pip asks the package's build system for its name and version.
echo "football engine $version: downloading its source package from the Python package index (15 s)"
pip=("$python" -m pip --quiet --disable-pip-version-check)
{ "${pip[@]}" install --no-compile --target "$work/backend" setuptools==80.9.0 wheel==0.45.1 &&
  PYTHONPATH=$work/backend "${pip[@]}" download --no-deps --no-build-isolation \
    --no-binary gfootball --dest "$work" "gfootball==$version"; } >"$log" 2>&1 ||
  fail "pip could not download the source of gfootball $version" \
    "check the network and pip's index, then run this again"
mkdir "$work/source"
tar -xzf "$work"/gfootball-"$version".tar.gz -C "$work/source" --strip-components=1 >"$log" 2>&1 ||
  fail "the downloaded package cannot be unpacked" "check the space left in $work"

engine=$work/source/third_party/gfootball_engine
for change in "$patches"/*.patch; do
  patch --strip=1 --directory="$engine" <"$change" >"$log" 2>&1 ||
    fail "$(basename "$change") does not apply" "the package is not gfootball $version"
done
cp "$patches/engine.cmake" "$engine/CMakeLists.txt"
# A failed check throws an exception, so that it ends a game and not the program.
find "$engine/src" -name '*.[ch]pp' -exec sed -i -E 's/\bassert\(/ENGINE_CHECK(/g' {} +

echo "football engine $version: building it into $dest (1 to 3 minutes)"
cmake -S "$engine" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/install" \
  -DCMAKE_INSTALL_LIBDIR=lib >"$log" 2>&1 ||
  fail "the engine cannot be configured" "install what it asks for"
cmake --build "$work/build" --parallel "$(nproc)" >"$log" 2>&1 ||
  fail "the engine does not compile" "the compiler's message is above; g++ 11 or newer is needed"
cmake --install "$work/build" >"$log" 2>&1 || fail "the engine cannot be installed" "see above"
"$python" "$scenarios" "$work/source/gfootball/scenarios" >"$work/install/scenarios.txt" 2>"$log" ||
  fail "the scenarios cannot be read" "the package is not gfootball $version"
third_party=$work/source/third_party
cp "$third_party/fonts/AlegreyaSansSC-ExtraBold.ttf" "$work/install/font.ttf"
cp "$third_party/fonts/LICENSE" "$work/install/LICENSE.font"
cp "$engine/LICENSE" "$work/install/LICENSE.gameplay_football"
cp "$work/source/LICENSE" "$work/install/LICENSE"

# The stamp goes last: a folder without it was cut short and is made anew.
{ mkdir -p "$dest" && rm -rf "${dest:?}"/{stamp,lib,include,data} && cp -r "$work/install/." "$dest/"; } 2>"$log" ||
  fail "cannot write to $dest" "check the space and the rights there"
echo "$stamp" >"$dest/stamp"
echo "football engine $version: done"
