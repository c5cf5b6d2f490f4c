#!/usr/bin/env bash
# Sets up what tandem needs: Debian packages, the Python environment .venv with torch, the Arcade
# Learning Environment, MuJoCo, and CMake's build folder. Says what it does; does nothing when all is
# there. It can be interrupted anywhere and run again.
#
#   TANDEM_TORCH_DIR=DIR  use the torch in this folder (with include/ and lib/), install none;
#                         remembered until it is given as empty
#   TANDEM_VENV_PYTHON=PROG    make .venv with this Python instead of python3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

torch_version=2.13.0
# The choice holds for later commands, too; an empty TANDEM_TORCH_DIR takes it back.
torch_choice=${TANDEM_TORCH_DIR-$(cat .deps/torch-dir 2>/dev/null || true)}
torch_dir=${torch_choice:+$(realpath "$torch_choice")}
python=${TANDEM_VENV_PYTHON:-python3}

# step NAME WHAT COMMAND...: says WHAT and runs the command, its output in a log.
step() {
  local what=$2 log=.deps/log/$1.log begin=$SECONDS status=0
  shift 2
  printf 'set-up: %s ...\n' "$what"
  mkdir -p .deps/log
  set +e
  (set -e; "$@") </dev/null >"$log" 2>&1
  status=$?
  set -e
  if ((status == 0)); then
    printf 'set-up: done in %d s\n' $((SECONDS - begin))
    return
  fi
  {
    tail -n 20 "$log"
    printf '\nset-up failed: %s\n' "$what"
    printf '  cause and remedy: %s\n' "$(diagnose "$log")"
    printf '  the whole log: %s\n  then run the same command again; what is done stays done\n' "$log"
  } >&2
  exit 2
}

# The likeliest cause of a failure, told from its log, and what to do about it.
diagnose() {
  local cause
  while IFS='|' read -r pattern cause; do
    if grep -qE "${pattern//;/|}" "$1"; then
      printf '%s\n' "$cause"
      return
    fi
  done <<'CAUSES'
No space left;not have enough free space|the disk is full; free about 4 GB
sudo: .*not found;password is required;terminal is required;not in the sudoers|no root rights; run this as root, or let an administrator install the packages of tools/packages.txt
Could not get lock;dpkg was interrupted|another installation runs or was cut short; wait for it to end, or run: dpkg --configure -a
Temporary failure resolving;Could not resolve;Name or service not known;Failed to establish;Network is unreachable;Connection timed out;Failed to fetch;NameResolutionError|no network; check the connection and the proxy settings (http_proxy, https_proxy)
TANDEM_VENV_PYTHON;ensurepip is not available;No module named .?(venv;pip)|no such Python, or it lacks venv or pip; install python3-venv, or name another Python with TANDEM_VENV_PYTHON
requires a different Python;No matching distribution|no package for this Python or machine; name a Python 3.11 with TANDEM_VENV_PYTHON, and for torch see TANDEM_TORCH_DIR in tools/setup.sh
Unable to locate package|a Debian package does not exist in this release; tandem is made for Debian 12
CMake Error|CMake's message is above; if it speaks of an old build folder, run: make clean
CAUSES
  printf 'see the lines above\n'
}

# stamped FILE TEXT: whether FILE says that its step was done with the inputs that TEXT stands for.
stamped() { [[ "$(cat "$1" 2>/dev/null)" == "$2" ]]; }

missing_packages() {
  local wanted have
  wanted=$(grep -v '^#' tools/packages.txt | sort -u)
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort)
  comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$have")
}

install_packages() {
  local root=()
  if ((EUID != 0)); then root=(sudo); fi
  "${root[@]}" apt-get update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "$@"
}

make_venv() {
  command -v "$python" || { echo "TANDEM_VENV_PYTHON=$python is no program" && return 1; }
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11) and
    "requires a different Python: 3.11 or newer, this is " + sys.version)'
  # An interrupted creation leaves a folder without pip.
  .venv/bin/python -m pip --version || "$python" -m venv --clear .venv
  local pip=(.venv/bin/python -m pip install --disable-pip-version-check)
  if [[ -n $torch_dir ]]; then
    "${pip[@]}" --requirement tools/requirements.txt
    return
  fi
  "${pip[@]}" --requirement tools/requirements.txt "torch==$torch_version"
}

if ! command -v dpkg-query >/dev/null; then
  echo "set-up: this is no Debian; the counterparts of tools/packages.txt must be there already"
else
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]})); then
    step packages "installing Debian packages (1 to 3 minutes): ${missing[*]}" \
      install_packages "${missing[@]}"
  fi
fi

if [[ -n $torch_dir && ! -e $torch_dir/lib/libtorch.so ]]; then
  echo "set-up failed: TANDEM_TORCH_DIR=$torch_dir holds no lib/libtorch.so;" \
    "name the folder 'torch' of a Python environment, or an unpacked libtorch" >&2
  exit 2
fi

if [[ -n ${TANDEM_TORCH_DIR+given} ]]; then
  mkdir -p .deps
  printf '%s' "$torch_dir" >.deps/torch-dir
fi

venv_inputs="$("$python" -V 2>&1) torch=${torch_dir:-$torch_version} \
$(sha256sum <tools/requirements.txt)"
if ! stamped .venv/tandem-stamp "$venv_inputs" || [[ ! -x .venv/bin/python ]]; then
  step venv "making .venv with the Python packages${torch_dir:+, without torch} (1 to 5 minutes)" \
    make_venv
  echo "$venv_inputs" >.venv/tandem-stamp
fi

if [[ -e tools/build_ale.sh ]]; then
  ale_inputs=$(cat tools/build_ale.sh plugins/atari/patches/* | sha256sum)
  if ! stamped .deps/ale/tandem-stamp "$ale_inputs"; then
    step ale "building the Arcade Learning Environment into .deps/ale (2 to 3 minutes)" \
      tools/build_ale.sh
    echo "$ale_inputs" >.deps/ale/tandem-stamp
  fi
fi

if [[ -e tools/build_mujoco.sh ]]; then
  mujoco_inputs=$(sha256sum <tools/build_mujoco.sh)
  if ! stamped .deps/mujoco/tandem-stamp "$mujoco_inputs"; then
    step mujoco "putting MuJoCo and its suite's models into .deps/mujoco (half a minute)" \
      tools/build_mujoco.sh
    echo "$mujoco_inputs" >.deps/mujoco/tandem-stamp
  fi
fi

build_inputs="torch=$torch_dir"
if ! stamped build/tandem-stamp "$build_inputs" || [[ ! -e build/build.ninja ]]; then
  step configure "configuring the build folder (10 seconds)" \
    cmake -S . -B build -G Ninja -UTANDEM_TORCH_DIR ${torch_dir:+-DTANDEM_TORCH_DIR="$torch_dir"}
  echo "$build_inputs" >build/tandem-stamp
fi
