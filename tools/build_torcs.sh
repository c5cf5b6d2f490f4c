#!/usr/bin/env bash
# Puts TORCS (GPL-2+) without its screen into DEST (default: .deps/torcs of this checkout) for the
# torcs plug-in: the race engine, the simulation, the robot "bt" and a program of ours around them,
# built from Debian's source package, and the descriptions of its cars and tracks. Two minutes on two
# cores; does nothing when DEST is already there.
set -euo pipefail

version=1.3.7+dfsg-5
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sources=$root/plugins/torcs/engine
protocol=$root/plugins/torcs/protocol.h
stamp=$(find "$sources" "$protocol" "${BASH_SOURCE[0]}" -type f -print0 | LC_ALL=C sort -z |
  xargs -0 cat | sha256sum)
dest=$(realpath -m "${1:-$root/.deps/torcs}")

if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "TORCS $version is already in $dest"
  exit 0
fi

fail() {
  echo "build_torcs.sh: $1" >&2
  [ -f "$log" ] && tail -n 15 "$log" >&2
  echo "build_torcs.sh: $2" >&2
  exit 1
}

log=
for program in apt-get cmake c++ cc dpkg-deb patch tar xz; do
  command -v "$program" >/dev/null || fail "$program is missing" \
    "install it on a Debian or Ubuntu: apt-get install cmake g++ patch tar xz-utils"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
: >"$log"

# The archive that this machine's apt-get uses.
archive=$(apt-get indextargets --no-release-info --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" |
  awk '$2 == "bookworm" && $3 == "main" {print; exit}')
[ -n "$archive" ] || fail "apt-get knows no archive of Debian 12 (bookworm), whose package it is" \
  "add one to /etc/apt/sources.list, or use a Debian 12"

# A package list of its own, since users' lists seldom name source packages. apt-get checks the
# archive's signature.
mkdir -p "$work"/{lists/partial,archives/partial,source,plib,sources.d}
printf 'deb %s\ndeb-src %s\n' "$archive" "$archive" >"$work/sources.list"
apt=(apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/sources.d"
  -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work" -o APT::Sandbox::User=root)
echo "TORCS $version: downloading its source from Debian (394 MB)"
(cd "$work" && "${apt[@]}" update && "${apt[@]}" source --download-only "torcs=$version" &&
  "${apt[@]}" download libplib-dev libplib1) >"$log" 2>&1 ||
  fail "apt-get could not download TORCS $version" "check the network; Debian 12 has this version. Then run this again"

# The data are pictures for the most part, which nothing here needs.
echo "TORCS $version: unpacking and building it into $dest (a minute)"
{ tar -xf "$work"/torcs_*.orig.tar.xz -C "$work/source" --strip-components=1 --wildcards \
  --exclude='*.rgb' --exclude='*.png' --exclude='*.ac' --exclude='*.acc' --exclude='*.wav' &&
  tar -xf "$work"/torcs_*.debian.tar.xz -C "$work/source" &&
  for package in "$work"/libplib*.deb; do dpkg-deb -x "$package" "$work/plib"; done; } >"$log" 2>&1 ||
  fail "the downloaded packages cannot be unpacked" "check the space left in $work"
while read -r patch; do
  patch --strip=1 --directory="$work/source" <"$work/source/debian/patches/$patch" >"$log" 2>&1 ||
    fail "Debian's patch $patch does not apply" "the package is not TORCS $version"
done <"$work/source/debian/patches/series"

cmake -S "$sources" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$work/install" -DTORCS="$work/source" -DPLIB="$work/plib" >"$log" 2>&1 ||
  fail "TORCS cannot be configured" "install what it asks for"
cmake --build "$work/build" --parallel "$(nproc)" >"$log" 2>&1 ||
  fail "TORCS does not compile" "the compiler's message is above; g++ 12 or newer is needed"
cmake --install "$work/build" >"$log" 2>&1 || fail "TORCS cannot be installed" "see above"

# The stamp goes last: a folder without it was cut short and is made anew.
{ mkdir -p "$dest" && rm -rf "${dest:?}"/{stamp,bin,lib,share,licences} &&
  cp -r "$work/install/." "$dest/"; } 2>"$log" ||
  fail "cannot write to $dest" "check the space and the rights there"
echo "$stamp" >"$dest/stamp"
echo "TORCS $version: done"
