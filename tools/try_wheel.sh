#!/usr/bin/env bash
# Tries what `make wheel` has left in dist/ as users do: each part in a new Python environment, in a
# folder away from the checkout.
#
# usage: tools/try_wheel.sh FOLDER [wheel] [atari] [mujoco] [football] [doom] [torcs] [torch] [source]
#
# wheel: install it, step environments, train cartpole, plot; no torch, no compiler is used
# atari, mujoco, football, doom, torcs: `tandem install` twice, the second time with nothing to do, and a short training
# torch: the extra tandem-rl[torch] computes a network by libtorch
# source: `pip install .` in a new clone of HEAD, and a training
# The default is all. Prints what each command said and how long it took, and ends with the first one
# that fails. PYTHON=PROG takes this Python instead of python3. FOLDER stays.
set -euo pipefail

fail() {
  printf 'try_wheel.sh: %s\n' "$1" >&2
  exit 1
}

(($# >= 1)) || fail "name the folder to work in: tools/try_wheel.sh FOLDER [PART...]"
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
mkdir -p "$1"
folder=$(realpath "$1")
[[ $folder/ != "$repository"/* ]] || fail "choose a folder outside of the checkout"
shift
(($#)) || set -- wheel atari mujoco football doom torcs torch source
python=${PYTHON:-python3}
dist=$repository/dist

# A new user has no variables of tandem.
while read -r name; do unset "$name"; done < <(compgen -e | grep -E '^(TANDEM_|PYTHONPATH$)' || true)

wheel() {
  local found tag
  tag=$("$python" -c 'import sys; print("cp{}{}".format(*sys.version_info))')
  found=$(compgen -G "$dist/tandem_rl-*-$tag-*.whl") ||
    fail "there is no wheel for $tag in $dist; make wheel builds it"
  printf '%s\n' "$found"
}

# said COMMAND...: runs the command; prints it, its last lines and its time.
said() {
  local begin=$EPOCHREALTIME status=0
  printf '$ %s\n' "$*"
  "$@" >"$folder/log" 2>&1 </dev/null || status=$?
  tail -n 12 "$folder/log" | sed 's/^/  /'
  awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "  (%.1f s)\n", b - a }'
  ((status == 0)) || fail "this ended with $status: $*"
}

# expect PATTERN COMMAND...: the same for a command that may fail but must say something.
expect() {
  local pattern=$1
  shift
  printf '$ %s\n' "$*"
  "$@" >"$folder/log" 2>&1 </dev/null || true
  tail -n 12 "$folder/log" | sed 's/^/  /'
  grep -qE "$pattern" "$folder/log" || fail "this did not say '$pattern': $*"
}

# enter PART: makes a new Python environment and goes to a new folder.
enter() {
  rm -rf "${folder:?}/$1"
  mkdir "$folder/$1"
  cd "$folder/$1"
  "$python" -m venv venv
  PATH=$folder/$1/venv/bin:$plain_path
}
plain_path=$PATH

train() { said tandem train "$@" --run-dir run; }

try_wheel() {
  said pip install --quiet "$(wheel)"
  said du -sh venv/lib
  if pip list 2>/dev/null | grep -qE '^torch '; then fail "torch came along"; fi
  said tandem --version
  said python -m tandem --version
  said python -c "
import gymnasium, tandem
run = tandem.train('paac', lambda: gymnasium.make('CartPole-v1'), steps='20k', run_dir='own')
print(run.result['steps'], 'steps of', tandem.__version__)"
  said tandem train --resume own --steps 30k
  said python -c "
import tandem
envs = tandem.make_vec('cartpole', num_envs=8)
envs.reset(seed=1)
for _ in range(1000):
    envs.step(envs.action_space.sample())
envs.close()
print('8000 steps of', tandem.__version__, 'in', tandem.__file__)"
  train paac --env cartpole --steps 500k --set run.log_seconds=0.1
  said tandem eval run --episodes 5
  said pip install --quiet matplotlib
  said tandem plot run --out curves.png
  expect 'pip install wandb' tandem track run --to wandb
  said pip install --quiet onnx
  said tandem export run --hub hub --episodes 5
  said tandem rollout --env gym:CartPole-v1 --random --steps 100 --out rollout
}

# plugin NAME TRAINING...: installs a plug-in twice and trains.
plugin() {
  said pip install --quiet "$(wheel)"
  said tandem install "$1" --find-links "$dist"
  said tandem install "$1" --find-links "$dist"
  shift
  train "$@"
}

try_atari() {
  plugin atari paac --env atari:Pong --steps 20k
  said python -c "
import gymnasium, tandem
envs = gymnasium.make_vec('tandem/Pong-v0', num_envs=4)
print(envs.reset(seed=1)[0].shape, len(tandem.environments()), 'environments')"
}

try_mujoco() { plugin mujoco paac --env mujoco:cartpole-swingup --steps 20k; }

try_football() { plugin football hts --env football:academy_empty_goal_close --steps 4k; }
try_doom() { plugin doom hts --env doom:basic --steps 4k; }
try_torcs() { plugin torcs a3c --env torcs:slow_car --steps 4k; }

try_torch() {
  said pip install --quiet "$(wheel)"
  expect "libtorch: absent.*pip install 'tandem-rl\[torch\]'" tandem --version
  said pip install --quiet "$(wheel)[torch]"
  said python -c "import torch, tandem; print(torch.__version__, tandem.__version__)"
  expect 'libtorch: computes' tandem --version
  # Without a GPU the backend is loaded all the same, and says what it misses.
  expect 'finds no GPU|steps' tandem train paac --env cartpole --steps 1k --device cuda --run-dir run
}

try_source() {
  said git clone --quiet "$repository" clone
  said pip install --quiet ./clone
  said tandem --version
  train paac --env cartpole --steps 20k
}

for part; do
  [[ $(type -t "try_$part") == function ]] ||
    fail "there is no part '$part': wheel, atari, mujoco, football, doom, torcs, torch or source"
done
for part; do
  printf '\n== %s\n' "$part"
  enter "$part"
  "try_$part"
done
echo "all went well; the environments are left in $folder"
