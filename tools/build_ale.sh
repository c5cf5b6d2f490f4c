#!/usr/bin/env bash
# Builds the Arcade Learning Environment (GPL-2.0-only) from its own source package into DEST
# (default: .deps/ale of this checkout) for the Atari plug-in: as it is but for whole states and, in
# DEST/fast, with all changes of plugins/atari/patches. The ROMs that come with it go to DEST/roms.
# About a minute; does nothing when DEST is already there. $PYTHON names another Python.
set -euo pipefail

version=0.12.1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
patches=$root/plugins/atari/patches
stamp=$(cat "${BASH_SOURCE[0]}" "$patches"/* | sha256sum)
dest=${1:-$root/.deps/ale}
python=${PYTHON:-$root/.venv/bin/python}
command -v "$python" >/dev/null || python=python3

# Whether all ROMs are there and undamaged.
roms_whole() { (cd "$dest/roms" && sha256sum --status --check ../roms.sha256) 2>/dev/null; }

if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ] && roms_whole; then
  echo "ALE $version is already in $dest"
  exit 0
fi

fail() {
  echo "build_ale.sh: $1" >&2
  [ -f "$log" ] && tail -n 15 "$log" >&2
  echo "build_ale.sh: $2" >&2
  exit 1
}

log=
for program in cmake c++ tar patch "$python"; do
  command -v "$program" >/dev/null || fail "$program is missing" "install it: apt-get install cmake g++ tar patch python3 python3-pip"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# To download a source package, pip asks the package's build system for its name and version. The
# package lists further build requirements, such as JAX, for its Python library; they are left out.
echo "ALE $version: downloading its source package from the Python package index (10 s)"
pip=("$python" -m pip --quiet --disable-pip-version-check)
{ "${pip[@]}" install --no-compile --target "$work/backend" scikit-build-core==0.11.6 &&
  PYTHONPATH=$work/backend "${pip[@]}" download --no-deps --no-build-isolation \
    --no-binary ale-py --dest "$work" "ale-py==$version"; } >"$log" 2>&1 ||
  fail "pip could not download the source of ale-py $version" \
    "check the network and pip's index, then run this again"
mkdir "$work/source"
tar -xzf "$work"/ale_py-"$version".tar.gz -C "$work/source" --strip-components=1 >"$log" 2>&1 ||
  fail "the downloaded package cannot be unpacked" "check the space left in $work"

# A hundred small files, one for each game, and those of the cartridges spend most of their compile
# time in headers, so several are compiled at once. The code of emulated instructions is compiled as
# ALE compiles it.
cat >"$work/groups.cmake" <<'CMAKE'
function(compile_small_files_in_groups)
  get_target_property(files ale SOURCES)
  list(FILTER files EXCLUDE REGEX "/games/supported/|/emucore/Cart[^/]+$")
  set_property(SOURCE ${files} TARGET_DIRECTORY ale PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(ale PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
endfunction()
cmake_language(DEFER CALL compile_small_files_in_groups)
CMAKE

# build NAME FLAGS: builds $work/NAME with these compiler flags into $work/install-NAME, on half of
# the cores.
build() {
  local log=$work/log-$1
  # As a release ALE is built for link-time optimization, which makes every link of the plug-in take
  # a minute and the games no faster.
  cmake -S "$work/$1" -B "$work/build-$1" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O3 -DNDEBUG $2" \
    -DCMAKE_PROJECT_ale_INCLUDE="$work/groups.cmake" \
    -DCMAKE_INSTALL_PREFIX="$work/install-$1" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_CPP_LIB=ON -DBUILD_PYTHON_LIB=OFF \
    -DBUILD_VECTOR_LIB=OFF -DSDL_SUPPORT=OFF >"$log" 2>&1 ||
    fail "ALE cannot be configured" "install what it asks for (zlib: apt-get install zlib1g-dev)"
  cmake --build "$work/build-$1" --parallel $((($(nproc) + 1) / 2)) >"$log" 2>&1 ||
    fail "ALE does not compile" "the compiler's message is above; g++ 11 or newer is needed"
  cmake --install "$work/build-$1" >"$log" 2>&1 || fail "ALE cannot be installed" "see above"
}

patch --strip=1 --directory="$work/source" <"$patches/ale-$version-states.patch" >"$log" 2>&1 ||
  fail "the changes do not apply" "the package is not ALE $version"
cp -r "$work/source" "$work/fast"
{ patch --strip=1 --directory="$work/fast" <"$patches/ale-$version-fast.patch" &&
  sed -E -z -i -f "$patches/M6502Low.sed" "$work/fast/src/ale/emucore/M6502Low.ins"; } \
  >"$log" 2>&1 || fail "the changes do not apply" "the package is not ALE $version"

echo "ALE $version: building it into $dest, and with tandem's changes into $dest/fast (1 minute)"
build source "" &
source_build=$!
# The plug-in holds both libraries, so one gets another namespace. GCC's manual advises against
# -fgcse where code jumps by computed goto.
build fast "-Dale=ale_fast -fno-gcse" &
fast_build=$!
failed=
wait $source_build || failed=yes
wait $fast_build || failed=yes
[ -z "$failed" ] || exit 1
mv "$work/install-source" "$work/install"
mv "$work/install-fast" "$work/install/fast"

mkdir -p "$work/install/roms"
cp "$work"/source/src/ale/python/roms/*.bin "$work/install/roms/"
(cd "$work/install/roms" && sha256sum ./*.bin >../roms.sha256)
cp "$work/source/LICENSE.md" "$work/install/"

# The stamp goes last: a folder without it was cut short and is made anew.
{ mkdir -p "$dest" && rm -f "$dest/stamp" && cp -r "$work/install/." "$dest/"; } 2>"$log" ||
  fail "cannot write to $dest" "check the space and the rights there"
echo "$stamp" >"$dest/stamp"
echo "ALE $version: done"
