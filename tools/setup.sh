#!/usr/bin/env bash
# Installs tandem's needs, prints each step, and does nothing when all is there. It can be
# interrupted anywhere and run again.
#
# usage: tools/setup.sh [program|all|torch|football|doom|torcs|test]
#
# program: the needs of `make pong`: a compiler, libraries, the Arcade Learning Environment
# all (the default): MuJoCo, the Python packages of tests and plots in .venv, and programs for
# videos, checks and the reference of the public headers as well
# torch: torch as well, for CUDA and for the tests that compare with PyTorch
# football: the needs of `program`, and the engine of Google Research Football, which the other
#     stages then keep up to date
# doom: likewise with ViZDoom's engine
# torcs: likewise with TORCS
# test: the needs of all tests, which are those of torch, football, doom and torcs
#
#   TANDEM_TORCH_DIR=DIR  use the torch in this folder (with include/ and lib/), install none;
#                         remembered until it is given as empty
#   TANDEM_VENV_PYTHON=PROG    make .venv with this Python instead of python3
set -euo pipefail
# By the path without links: another name of this folder is no other folder.
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

# The steps choose a Python by themselves, and the order of files in stamps depends on the locale.
unset PYTHON
export LC_ALL=C.UTF-8

stage=${1:-all}
if [[ ! $stage =~ ^(program|all|torch|football|doom|torcs|test)$ ]]; then
  echo "usage: tools/setup.sh [program|all|torch|football|doom|torcs|test]" >&2
  exit 2
fi

torch_version=2.13.0
# Its package would bring torch into a set-up that has none.
sb3_version=2.9.2

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
    printf 'set-up: %s: done in %d s\n' "${what%% (*}" $((SECONDS - begin))
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

# The steps at work in the background. Each is a process group of its own, which can be ended as a
# whole.
background=()

# at_once NAME WHAT COMMAND...: starts a step in the background; all_done waits for it.
at_once() {
  set -m
  step "$@" &
  set +m
  background+=("$!")
}

# Waits for the steps in the background. A failed step has printed its error, and ends the set-up.
all_done() {
  local group
  for group in "${background[@]}"; do wait "$group" || exit 2; done
  background=()
}

# Asks the shell itself for its jobs: an interrupt may come before `background` has the newest.
end_background() {
  local group
  for group in $(jobs -p); do kill -TERM -- "-$group" 2>/dev/null || true; done
}
trap end_background EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Prints the likeliest cause of a failure, by its log, and the remedy.
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

# missing_packages SECTION: prints the missing packages of this section of tools/packages.txt.
missing_packages() {
  local wanted have
  wanted=$(sed -n "/^\[$1\]/,/^\$/p" tools/packages.txt | grep '^[a-z]' | sort -u)
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort)
  comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$have")
}

# update_lists ROOT...: waits for other programs of apt, such as a new machine's own updates. Only
# `install` has an option for that.
update_lists() {
  local try said
  for try in {1..60}; do
    # It exits with 0 without a network, too; its words tell the cause if a package is then missing.
    if said=$("$@" apt-get update 2>&1); then
      printf '%s\n' "$said"
      break
    fi
    printf '%s\n' "$said"
    [[ $said == *"Could not get lock"* && $try -lt 60 ]] || return 1
    sleep 10
  done
}

install_packages() {
  local root=() variable
  if ((EUID != 0)); then
    root=(sudo env)  # sudo drops the settings of the proxy
    for variable in http_proxy https_proxy ftp_proxy all_proxy no_proxy; do
      if [[ -n ${!variable-} ]]; then root+=("$variable=${!variable}"); fi
    done
  fi
  # Two steps install packages; only the first updates apt's lists.
  if ((! lists_are_new)); then update_lists "${root[@]}"; fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends "$@"
}

lists_are_new=0
# debian_packages SECTION STEP TIME: installs the missing packages of this section of
# tools/packages.txt. STEP names the log file; TIME is the announced duration.
debian_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    [[ $1 != program ]] ||
      echo "set-up: this is no Debian; the counterparts of tools/packages.txt must be there already"
    return
  fi
  mapfile -t missing < <(missing_packages "$1")
  if ((${#missing[@]})); then
    step "$2" "installing Debian packages ($3): ${missing[*]}" install_packages "${missing[@]}"
    lists_are_new=1
  fi
}

# is_copied FILE: whether this stamp, if there is one, was written for a .venv in another folder.
is_copied() { [[ "$(cat "$1" 2>/dev/null)" == *" in /"* ]] && ! grep -qF " in $venv_home;" "$1"; }

make_venv() {
  command -v "$python" || { echo "TANDEM_VENV_PYTHON=$python is no program" && return 1; }
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11) and
    "requires a different Python: 3.11 or newer, this is " + sys.version)'
  # An interrupted creation leaves a folder without pip; the programs of a copied one belong to the
  # other folder. Another version that comes first on PATH is no reason to lose the packages.
  if ! .venv/bin/python -m pip --version || is_copied .venv/tandem-stamp ||
    [[ -n ${TANDEM_VENV_PYTHON-} && "$(.venv/bin/python -V 2>&1)" != "$("$python" -V 2>&1)" ]]; then
    if [[ -L .venv ]]; then  # the folder to which it leads may be in use
      echo ".venv is a link to $(realpath -m .venv): set up the folder that has it, or remove the link"
      return 1
    fi
    "$python" -m venv --clear .venv
  fi
  echo "$venv_inputs" >.venv/tandem-stamp
}

# Compiles what tests import, for they forbid Python to keep what it compiles itself: each of their
# processes would compile torch or Ray anew. The pattern leaves out almost half, parts that hardly
# any test imports. A file that does not compile is for another Python.
compile_packages() {
  .venv/bin/python -m compileall -q -j "$(nproc)" -x "/tests/\
|/(OpenGL|debugpy|fontTools|mypy|mypyc|networkx|pip|pygments|setuptools)/\
|/ray/(data|llm|rllib|serve|train|tune)/|/torch/(_inductor|testing/_internal)/" \
    .venv/lib/python3*/site-packages || true
}

# Without torch there are few tests, and a file is compiled when it is first imported.
install_python_packages() {
  .venv/bin/python -m pip install --disable-pip-version-check --no-compile \
    --requirement tools/requirements.txt --constraint tools/constraints.txt \
    ${torch_wanted:+"torch==$torch_version" "stable-baselines3==$sb3_version"}
  echo "$requirements" >.venv/tandem-packages
  if [[ -n $torch_wanted ]]; then
    compile_packages
    echo "$torch_version $sb3_version" >.venv/tandem-torch
  fi
}

# A build that is cut short, even after another version's, leaves no stamp.
build_ale() {
  rm -f .deps/ale/tandem-stamp
  tools/build_ale.sh
  echo "$ale_inputs" >.deps/ale/tandem-stamp
}

fetch_mujoco() {
  rm -f .deps/mujoco/tandem-stamp
  tools/build_mujoco.sh
  echo "$mujoco_inputs" >.deps/mujoco/tandem-stamp
}

build_football() {
  rm -f .deps/football/tandem-stamp
  tools/build_football.sh
  echo "$football_inputs" >.deps/football/tandem-stamp
}

build_doom() {
  rm -f .deps/doom/tandem-stamp
  tools/build_doom.sh
  echo "$doom_inputs" >.deps/doom/tandem-stamp
}

build_torcs() {
  rm -f .deps/torcs/tandem-stamp
  tools/build_torcs.sh
  echo "$torcs_inputs" >.deps/torcs/tandem-stamp
}

configure() {
  cmake -S . -B build -G Ninja -UTANDEM_TORCH_DIR ${torch_dir:+-DTANDEM_TORCH_DIR="$torch_dir"}
  echo "$build_inputs" >build/tandem-stamp
}

# Two set-ups at once would disturb each other. The lock also waits for processes that a killed
# set-up left running.
mkdir -p .deps
exec {lock}>.deps/lock
if ! flock --nonblock "$lock"; then
  echo "set-up: waiting for another set-up of this folder to end ..."
  flock "$lock"
fi

# These choices hold for later commands, too; an empty TANDEM_TORCH_DIR cancels that of a torch.
torch_choice=${TANDEM_TORCH_DIR-$(cat .deps/torch-dir 2>/dev/null || true)}
torch_dir=${torch_choice:+$(realpath -m "$torch_choice")}
python=$(sed -n 's/ Python .*//p' .venv/tandem-stamp 2>/dev/null || true)
command -v "$python" >/dev/null || python=python3  # it is gone, or there was none
python=${TANDEM_VENV_PYTHON:-$python}

if [[ -n $torch_dir && ! -e $torch_dir/lib/libtorch.so ]]; then
  echo "set-up failed: TANDEM_TORCH_DIR=$torch_dir holds no lib/libtorch.so;" \
    "name the folder 'torch' of a Python environment, or an unpacked libtorch; the choice is kept" \
    "in .deps/torch-dir, and TANDEM_TORCH_DIR= (empty) cancels it" >&2
  exit 2
fi

if [[ -n ${TANDEM_TORCH_DIR+given} ]]; then printf '%s' "$torch_dir" >.deps/torch-dir; fi

debian_packages program packages "half a minute to 2 minutes"

# The Python below an environment that is active now, by its path: another shell may find another one.
below=$("$python" -c 'import sys; print(sys._base_executable)' 2>/dev/null || true)
python=${below:-$python}
venv_home=$(dirname "$(realpath -m .venv)")
venv_inputs="$python $("$python" -V 2>&1) in $venv_home;" || true
# Torch that was there once comes again with a new .venv.
if [[ $stage =~ ^(torch|test)$ || -e .venv/tandem-torch ]]; then touch .deps/torch-asked; fi
if ! stamped .venv/tandem-stamp "$venv_inputs" || [[ ! -x .venv/bin/python ]]; then
  step venv "making .venv (5 seconds)" make_venv
fi

# From here on the steps need nothing of each other.
ale_inputs=$(cat tools/build_ale.sh plugins/atari/patches/* | sha256sum)
if ! stamped .deps/ale/tandem-stamp "$ale_inputs"; then
  at_once ale "building the Arcade Learning Environment into .deps/ale (1 to 2 minutes)" build_ale
fi

# Once it was asked for, each set-up keeps it up to date.
if [[ $stage == football || $stage == test || -d .deps/football ]]; then
  debian_packages football football_packages "half a minute"
  football_inputs=$(cat tools/build_football.sh tools/football_scenarios.py \
    plugins/football/patches/* | sha256sum)
  if ! stamped .deps/football/tandem-stamp "$football_inputs"; then
    at_once football "building football's engine into .deps/football (1 to 3 minutes)" \
      build_football
  fi
fi

if [[ $stage == doom || $stage == test || -d .deps/doom ]]; then
  debian_packages doom doom_packages "half a minute"
  doom_inputs=$(cat tools/build_doom.sh plugins/doom/engine/* | sha256sum)
  if ! stamped .deps/doom/tandem-stamp "$doom_inputs"; then
    at_once doom "putting ViZDoom's engine into .deps/doom (a minute)" build_doom
  fi
fi

if [[ $stage == torcs || $stage == test || -d .deps/torcs ]]; then
  debian_packages torcs torcs_packages "half a minute"
  torcs_inputs=$(cat tools/build_torcs.sh plugins/torcs/protocol.h plugins/torcs/engine/*.* \
    plugins/torcs/engine/without_screen/*/* | sha256sum)
  if ! stamped .deps/torcs/tandem-stamp "$torcs_inputs"; then
    at_once torcs "building TORCS into .deps/torcs (1 to 2 minutes)" build_torcs
  fi
fi

if [[ ! $stage =~ ^(program|football|doom|torcs)$ ]]; then
  requirements=$(cat tools/requirements.txt tools/constraints.txt | sha256sum)
  torch_wanted=
  if [[ -e .deps/torch-asked && -z $torch_dir ]] && ! stamped .venv/tandem-torch "$torch_version $sb3_version"; then
    torch_wanted=yes
  fi
  if [[ -n $torch_wanted ]] || ! stamped .venv/tandem-packages "$requirements"; then
    at_once python "installing Python packages${torch_wanted:+, torch among them,} into .venv \
(half a minute to 5 minutes)" install_python_packages
  fi

  mujoco_inputs=$(sha256sum <tools/build_mujoco.sh)
  if ! stamped .deps/mujoco/tandem-stamp "$mujoco_inputs"; then
    at_once mujoco "putting MuJoCo and its suite's models into .deps/mujoco (half a minute)" \
      fetch_mujoco
  fi

  debian_packages more more_packages "half a minute to 2 minutes"
fi
all_done

# The build leaves out what these packages are for, until they are there.
lacking=
if command -v dpkg-query >/dev/null; then lacking=$(missing_packages more | tr '\n' ' '); fi
# pip writes RECORD last; CMake looks for it, too.
found_torch=${torch_dir:-$(compgen -G '.venv/lib/python3*/site-packages/torch-*.dist-info/RECORD' || true)}
build_inputs="build in $PWD; python=$(cat .venv/tandem-stamp) torch=$found_torch packages=$(cat .venv/tandem-packages 2>/dev/null || true) \
lacking=$lacking \
mujoco=$(cat .deps/mujoco/tandem-stamp 2>/dev/null || true) \
football=$(cat .deps/football/tandem-stamp 2>/dev/null || true) \
doom=$(cat .deps/doom/tandem-stamp 2>/dev/null || true) \
torcs=$(cat .deps/torcs/tandem-stamp 2>/dev/null || true)"
if ! stamped build/tandem-stamp "$build_inputs" || [[ ! -e build/build.ninja ]]; then
  step configure "configuring the build folder (10 seconds)" configure
fi
