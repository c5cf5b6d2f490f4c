#!/usr/bin/env bash
# Puts MuJoCo (Apache-2.0) and the models of dm_control's suite (Apache-2.0) into DEST (default:
# .deps/mujoco of this checkout) for the MuJoCo plug-in: library, headers and XML files, as they are in
# the two Python packages. Half a minute; does nothing when DEST is already there. $PYTHON names
# another Python.
set -euo pipefail

mujoco_version=3.17.0
suite_version=1.0.50
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stamp=$(sha256sum <"${BASH_SOURCE[0]}")
dest=${1:-$root/.deps/mujoco}
python=${PYTHON:-$root/.venv/bin/python}
command -v "$python" >/dev/null || python=python3

# Whether all files are there and undamaged.
files_whole() { (cd "$dest" && sha256sum --status --check files.sha256) 2>/dev/null; }

if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ] && files_whole; then
  echo "MuJoCo $mujoco_version is already in $dest"
  exit 0
fi

fail() {
  echo "build_mujoco.sh: $1" >&2
  [ -f "$log" ] && tail -n 15 "$log" >&2
  echo "build_mujoco.sh: $2" >&2
  exit 1
}

log=
command -v "$python" >/dev/null ||
  fail "$python is missing" "install it: apt-get install python3 python3-pip"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# fetch NAME VERSION: unpacks a wheel, which is a zip file, into $work/NAME.
fetch() {
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$work/wheels-$1" "$1==$2" >"$log" 2>&1 ||
    fail "pip could not download $1 $2" \
      "check the network and pip's index; Python 3.10 or newer is needed; then run this again"
  "$python" -m zipfile -e "$work/wheels-$1"/*.whl "$work/$1" >"$log" 2>&1 ||
    fail "the downloaded package $1 cannot be unpacked" "check the space left in $work"
}

echo "MuJoCo $mujoco_version: downloading the library from the Python package index (15 s)"
fetch mujoco "$mujoco_version"
echo "MuJoCo $mujoco_version: downloading the models of dm_control $suite_version (10 s)"
fetch dm_control "$suite_version"

mkdir -p "$work/install/lib" "$work/install/suite"
{
  cp -r "$work/mujoco/mujoco/include" "$work/install/"
  cp -r "$work"/mujoco/mujoco-*.dist-info/licenses "$work/install/"
  cp "$work/mujoco/mujoco/libmujoco.so.$mujoco_version" "$work/install/lib/"
  ln -s "libmujoco.so.$mujoco_version" "$work/install/lib/libmujoco.so"
  cp "$work"/dm_control/dm_control/suite/*.xml "$work/install/suite/"
  cp -r "$work/dm_control/dm_control/suite/common" "$work/install/suite/"
  find "$work/install/suite" -name '*.py' -delete
} >"$log" 2>&1 || fail "a package lacks what it should hold" \
  "these are not mujoco $mujoco_version and dm_control $suite_version, or the disk is full"
(cd "$work/install" && find . -type f -print0 | xargs -0 sha256sum >"$work/files.sha256")
mv "$work/files.sha256" "$work/install/"

# Files are replaced, since trainings that run have the old ones mapped. The stamp goes last: a folder
# without it was cut short and is made anew.
{ mkdir -p "$dest" && rm -f "$dest/stamp" && cp -a --remove-destination "$work/install/." "$dest/"; } 2>"$log" ||
  fail "cannot write to $dest" "check the space and the rights there"
echo "$stamp" >"$dest/stamp"
echo "MuJoCo $mujoco_version: done"
