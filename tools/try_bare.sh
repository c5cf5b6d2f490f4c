#!/usr/bin/env bash
# Runs the README's two commands, each on a fresh minimal Debian 12, and prints how long their parts
# take.
#
# usage: tools/try_bare.sh FOLDER [pong] [test]
#
# Makes FOLDER and in it, for each command, a minimal Debian (debootstrap, variant minbase) with a
# clone of this repository's HEAD, without changes that are not committed. `make pong` trains for
# two minutes, and `make test` runs to its end; the default is both. Debian and Python packages come
# from this machine's sources: the script takes over /etc/apt, pip's configuration and the variables
# of proxies and certificates. It needs root and debootstrap, 10 GB of disk and half an hour. Its
# mounts and processes live in namespaces of their own, which end with it in any case; FOLDER stays.
set -euo pipefail

seconds_of_training=120

fail() {
  printf 'try_bare.sh: %s\n' "$1" >&2
  exit 1
}

((EUID == 0)) || fail "needs root: run it as root or with sudo"
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"
(($# >= 1)) || fail "name the folder to work in: tools/try_bare.sh FOLDER [pong] [test]"
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

if [[ ${TRY_BARE_INSIDE:-} != yes ]]; then
  mkdir -p "$1"
  [[ -z "$(ls -A "$1")" ]] || fail "$1 is not empty: choose another folder, or remove it"
  TRY_BARE_INSIDE=yes exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" \
    "$(realpath "$1")" "${@:2}"
fi

# The first process of a namespace receives only signals that it handles.
trap 'exit 130' INT
trap 'exit 143' TERM HUP

folder=$1
shift
(($#)) || set -- pong test
for command; do
  [[ $command =~ ^(pong|test)$ ]] || fail "there is no command '$command': pong or test"
done

# The mirror of Debian 12 that apt uses here.
mirror=$(apt-get indextargets --format "\$(REPO_URI)" "Created-By: Packages" "Codename: bookworm" |
  head -n 1)
[[ -n $mirror ]] || fail "apt knows no mirror of Debian 12 here (bookworm)"

# Prints the folders that pip's configuration names; they are mounted inside at the same paths. An
# index's files lie beside its folder `simple`.
pip_folders() {
  { python3 -m pip config list 2>/dev/null || true; env | grep '^PIP_' || true; } |
    grep -oE "(file://|['\" =,])/[^'\" ,\\\\]+" | sed -E 's,^(file://|[^/]),,; s,/simple/?$,,' | sort -u |
    while read -r path; do if [[ -d $path ]]; then echo "$path"; fi; done
}

# take_over PATH...: copies each existing path to the same place inside, and overwrites nothing
# there.
take_over() {
  local path
  for path; do
    if [[ -e $path ]]; then
      mkdir -p "$root$(dirname "$path")"
      cp -rL --no-clobber "$path" "$root$(dirname "$path")/"
    fi
  done
}

# make_system: makes a minimal Debian with a clone of the repository in $root.
make_system() {
  if [[ ! -d $folder/base ]]; then
    echo "making a minimal Debian 12 from $mirror (2 minutes) ..."
    debootstrap --variant=minbase bookworm "$folder/base" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
      fail "debootstrap failed; see $folder/debootstrap.log"
  fi
  cp -a "$folder/base" "$root"
  rm -f "$root/etc/apt/sources.list"
  take_over /etc/apt /usr/share/keyrings /usr/local/share/ca-certificates \
    /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/xdg/pip ~/.pip ~/.config/pip
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --rbind /dev "$root/dev"  # with terminals and shared memory
  local path
  while read -r path; do
    mkdir -p "$root$path"
    mount --bind -o ro "$path" "$root$path"
  done < <(pip_folders)
  git clone --quiet "$repository" "$root/root/tandem"
}

# inside COMMAND...: runs the command in $root with the variables of a fresh login, of proxies and
# of certificates.
inside() {
  local variables
  mapfile -t variables < <(env |
    grep -E '^((https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|PIP_|SSL_CERT_|[A-Z]+_CA_BUNDLE)[A-Z_]*=')
  env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${variables[@]}" chroot "$root" "$@"
}

# Begins each line with the seconds since the command began. Ctrl-C ends the command alone.
with_seconds() {
  trap '' INT
  local begin=$SECONDS line
  while IFS= read -r line; do printf '%5d %s\n' $((SECONDS - begin)) "$line"; done
}

# second_of PATTERN: prints the second of the log's first line with the pattern.
second_of() { grep -m 1 -E "$1" "$log" | awk '{print $1}'; }

report() { printf '%-52s %s\n' "$1" "${2:-no such line} ${2:+s}"; }

report_parts() {
  report "Debian packages are there" "$(second_of 'installing Debian packages: done')"
  report "the emulator is built" "$(second_of 'Arcade Learning Environment .*: done')"
  report "set-up has ended" "$(second_of 'configuring the build folder: done')"
}

# Prints the seconds of a core that all ended processes have used, including those that make
# started. They say more than the clock if something else is running, too.
core_seconds() {
  awk '$1 == 1 || $2 == "(make)" { sum += $16 + $17 } END { print int(sum / 100) }' \
    "$root"/proc/[0-9]*/stat 2>/dev/null || true
}

# `make pong` is ended as by Ctrl-C, whose signal reaches the whole process group.
try_pong() {
  local metrics=$root/root/tandem/runs/pong/metrics.jsonl begin=$SECONDS used trained_from training
  used=$(core_seconds)
  set -m
  inside make --directory=/root/tandem pong > >(with_seconds >"$log") 2>&1 &
  training=$!
  set +m
  while [[ ! -s $metrics ]]; do
    kill -0 "$training" 2>/dev/null || { tail -n 30 "$log" && fail "make pong ended before it trained"; }
    sleep 1
  done
  used=$(($(core_seconds) - used))
  trained_from=$(($(second_of 'the run is in')))
  sleep $((trained_from + seconds_of_training - SECONDS + begin))
  kill -INT -- "-$training"
  wait "$training" || true  # make itself ends with an error then
  sleep 1
  grep -q 'stopped; go on with' "$log" ||
    { tail -n 30 "$log" && fail "make pong did not end well after Ctrl-C"; }
  report_parts
  report "training begins" "$trained_from"
  report "seconds of a core that were used until then" "$used"
  [[ -n "$(ls "${metrics%/*}/checkpoints")" ]] || fail "make pong left no checkpoint"
  tail -n 1 "$metrics" | grep -oE '"(steps|frames)": ?[0-9.e+]+' || true
}

try_test() {
  local status=0 used
  used=$(core_seconds)
  inside make --directory=/root/tandem test > >(with_seconds >"$log") 2>&1 || status=$?
  sleep 1
  report_parts
  report "all is built" "$(second_of 'Test project')"
  report "the end of the tests" "$(second_of 'Total Test time')"
  report "seconds of a core that were used" $(($(core_seconds) - used))
  grep 'tests passed' "$log" || true
  ((status == 0)) || { tail -n 30 "$log" && fail "make test failed; see $log"; }
}

for command; do
  root=$folder/$command
  log=$folder/$command.log
  make_system
  # The README asks for this package.
  { inside apt-get update && inside apt-get install --yes --no-install-recommends make; } \
    >"$folder/make.log" 2>&1 || fail "make cannot be installed; see $folder/make.log"
  echo "make $command, with nothing there before; seconds since the command:"
  "try_$command"
  echo
done
echo "all went well; the systems are left in $folder"
