#!/usr/bin/env bash
# Puts ViZDoom's engine (MIT and the licences of ZDoom; data: Freedoom, BSD) into DEST (default:
# .deps/doom of this checkout) for the doom plug-in: the engine with its scenarios from the Python
# package, and the client that drives it, built from the source package. A minute on two cores; does
# nothing when DEST is already there. $PYTHON names another Python.
set -euo pipefail

version=1.3.2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sources=$root/plugins/doom/engine
stamp=$(cat "${BASH_SOURCE[0]}" "$sources"/* | sha256sum)
dest=${1:-$root/.deps/doom}
python=${PYTHON:-$root/.venv/bin/python}
command -v "$python" >/dev/null || python=python3

if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "the Doom engine of ViZDoom $version is already in $dest"
  exit 0
fi

fail() {
  echo "build_doom.sh: $1" >&2
  [ -f "$log" ] && tail -n 15 "$log" >&2
  echo "build_doom.sh: $2" >&2
  exit 1
}

log=
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "the package has its engine for x86-64 Linux alone" \
  "use such a machine"
for program in cmake c++ tar patch "$python"; do
  command -v "$program" >/dev/null || fail "$program is missing" \
    "install it: apt-get install cmake g++ tar patch python3 python3-pip"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# need PACKAGE HEADER: stops unless the compiler finds the header.
need() {
  c++ -fsyntax-only -x c++ - <<<"#include <$2>" >"$log" 2>&1 ||
    fail "the header $2 is missing" "install it: apt-get install $1"
}
need libboost-dev boost/interprocess/ipc/message_queue.hpp
need libboost-chrono-dev boost/chrono.hpp
need libboost-filesystem-dev boost/filesystem.hpp
need libboost-system-dev boost/system/error_code.hpp
need libboost-thread-dev boost/thread.hpp
: >"$log"

# To download a source package, pip asks the package's build system for its name and version.
echo "Doom engine of ViZDoom $version: downloading it from the Python package index (66 MB)"
pip=("$python" -m pip --quiet --disable-pip-version-check)
{ "${pip[@]}" download --no-deps --only-binary :all: --python-version 3.11 \
  --platform manylinux_2_28_x86_64 --dest "$work" "vizdoom==$version" &&
  "${pip[@]}" install --no-compile --target "$work/backend" setuptools==80.9.0 wheel==0.45.1 &&
  PYTHONPATH=$work/backend "${pip[@]}" download --no-deps --no-build-isolation \
    --no-binary vizdoom --dest "$work" "vizdoom==$version"; } >"$log" 2>&1 ||
  fail "pip could not download ViZDoom $version" "check the network and pip's index, then run this again"
mkdir -p "$work"/{source,install/{engine,licences}}
{ tar -xzf "$work"/vizdoom-"$version".tar.gz -C "$work/source" --strip-components=1 &&
  "$python" -m zipfile -e "$work"/vizdoom-*.whl "$work/wheel"; } >"$log" 2>&1 ||
  fail "the downloaded packages cannot be unpacked" "check the space left in $work"

patch --strip=1 --directory="$work/source" <"$sources/client.patch" >"$log" 2>&1 ||
  fail "client.patch does not apply" "the package is not ViZDoom $version"

echo "Doom engine of ViZDoom $version: building its client into $dest (half a minute)"
cmake -S "$sources" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/install" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCLIENT="$work/source" -DViZDoom_VERSION_STR="$version" >"$log" 2>&1 ||
  fail "the client cannot be configured" "install what it asks for"
cmake --build "$work/build" --parallel "$(nproc)" >"$log" 2>&1 ||
  fail "the client does not compile" "the compiler's message is above; g++ 11 or newer is needed"
cmake --install "$work/build" >"$log" 2>&1 || fail "the client cannot be installed" "see above"

# The engine finds its libraries and data by their places beside it. The package's Python is left out.
engine=$work/install/engine
{ cp -r "$work/wheel/vizdoom.libs" "$engine/" && mkdir "$engine/vizdoom" &&
  cp -r "$work/wheel/vizdoom"/{vizdoom,scenarios,vizdoom.pk3,*.wad} "$engine/vizdoom/" &&
  chmod +x "$engine/vizdoom/vizdoom" &&
  cp "$work/source/README.md" "$work/install/licences"; } >"$log" 2>&1 ||
  fail "the package lacks the engine or its data" "the package is not ViZDoom $version"
# Data that the user has bought and put there stay, also those of an installation that was cut short.
for wad in "$dest"/{,new/,next/}engine/vizdoom/*.wad; do
  if [ -f "$wad" ] && [ ! -e "$engine/vizdoom/${wad##*/}" ]; then
    cp "$wad" "$engine/vizdoom/" || fail "$wad cannot be kept" "check the space left in $work"
  fi
done

# The new engine is whole before the old one goes. The stamp goes last: a folder without it was cut
# short and is made anew.
{ mkdir -p "$dest" && rm -rf "$dest/next" && cp -r "$work/install" "$dest/next" &&
  rm -rf "${dest:?}/new" && mv "$dest/next" "$dest/new" &&
  rm -rf "${dest:?}"/{stamp,lib,include,engine,bin,licences} &&
  mv "$dest"/new/* "$dest/" && rmdir "$dest/new"; } 2>"$log" ||
  fail "cannot write to $dest" "check the space and the rights there"
echo "$stamp" >"$dest/stamp"
echo "Doom engine of ViZDoom $version: done"
