#!/usr/bin/env bash
# Checks format, style, likely bugs and the order of folders; with --format, formats instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ruff=.venv/bin/ruff
folders=()
for folder in src python plugins tests benchmarks examples; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done
cpp() { find "${folders[@]}" \( -name '*.cc' -o -name '*.h' \) -print0; }
on_all_cores() { xargs -0 -P "$(nproc)" "$@"; }

if [[ ${1:-} == --format ]]; then
  cpp | on_all_cores -n 100 clang-format -i
  exec $ruff format --quiet .
fi

failed=()
check() {
  local name=$1
  shift
  printf 'lint: %s\n' "$name"
  "$@" || failed+=("$name")
}

check_format() { cpp | on_all_cores -n 100 clang-format --dry-run -Werror; }

# Lists the groups of files that the build compiles at once, so that clang-tidy reads headers only a
# few times; then the files that this build leaves out, one by one. The program around TORCS is not
# among them: it includes TORCS's headers, which only tools/build_torcs.sh unpacks.
tidy_inputs() {
  local compiled
  compiled=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/compile_commands.json |
    grep -v nanobind-static | sort -u)
  printf '%s\n' "$compiled"
  comm -23 <(find "${folders[@]/#/$PWD/}" -name '*.cc' -not -path '*/torcs/engine/*' | sort) <(
    {
      printf '%s\n' "$compiled"
      grep '\.cxx$' <<<"$compiled" | tr '\n' '\0' | xargs -0 --no-run-if-empty sed -n 's/^#include "\(.*\)"$/\1/p'
    } | sort -u
  )
}

# The groups of most files come first, so that none of them is left to one core at the end.
largest_first() {
  local files
  mapfile -t files
  { grep -cH '^#include "/' "${files[@]}" || (($? == 1)); } | sort -t: -k2,2nr | cut -d: -f1
}

# One input a process; clang-tidy is silent about one without findings.
run_tidy() {
  tidy_inputs | largest_first | tr '\n' '\0' |
    on_all_cores -n 1 .venv/bin/clang-tidy --quiet --checks=-bugprone-suspicious-include -p build
}

# Waits for clang-tidy and prints what it has said.
check_tidy() {
  local status=0
  wait "$tidy" || status=$?
  grep -vE 'warnings? generated' "$tidy_log" || true
  return "$status"
}

check_python() { $ruff check --quiet . && $ruff format --quiet --check .; }

check_shell() { find tools deploy .ci \( -name '*.sh' -o -name '*.sbatch' -o -path .ci/run \) -exec shellcheck {} +; }

end_tidy() {
  local group
  for group in $(jobs -p); do kill -- "-$group" 2>/dev/null || true; done
  rm -f "$tidy_log"
}

# clang-tidy takes longest, so the other checks run beside it. It is a process group of its own,
# which an interrupt ends as a whole.
tidy_log=$(mktemp)
trap end_tidy EXIT
set -m
run_tidy >"$tidy_log" 2>&1 &
tidy=$!
set +m

check "folder order and file size (tools/check_layers.py)" .venv/bin/python tools/check_layers.py
check "systems by name (tools/check_system_names.py)" .venv/bin/python tools/check_system_names.py
check "plain words (tools/check_prose.py)" .venv/bin/python tools/check_prose.py
check "clang-format (mend with: make format)" check_format
check "Python (ruff)" check_python
check "types (mypy)" .venv/bin/mypy python/tandem python/tandem_export python/tandem_program python/tandem_track python/tandem_cluster python/tandem_reproduce \
  examples/python
check "types of the workers of gym:ID (mypy)" env MYPYPATH=src/tandem/env/gym .venv/bin/mypy \
  --strict --explicit-package-bases src/tandem/env/gym/tandem_worker
check "shell (shellcheck)" check_shell
check "clang-tidy (a few minutes)" check_tidy

if ((${#failed[@]})); then
  printf 'lint failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "lint: no findings"
