# The everyday commands; `make help` lists them. Each sets up and builds what it needs first.
.DEFAULT_GOAL := build
.PHONY: api asan bench bench-peers build chaos clean format fuzz help lint pong setup test torch tsan wheel

# With ccache, equal files compile once, in whatever folder the checkout is.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# The compiler lists the headers of a file, so ccache need not preprocess the file first.
export CCACHE_DEPEND := 1

CTEST := ctest --output-on-failure --timeout 900 --parallel $(shell nproc)

build: setup ## Set up and build build/tandem and its plug-ins (the default)
	@[ -e build/tandem ] || echo 'building tandem (about 3 minutes on 2 cores) ...'
	cmake --build build --target programs

setup: ## Install what is missing but torch, nothing when all is there
	@tools/setup.sh

torch: ## Install torch as well and build its backend, which CUDA needs
	@tools/setup.sh torch
	cmake --build build --target programs

# A run that was killed before its first checkpoint begins anew.
pong: ## Train PPO by PAAC on Atari Pong into runs/pong, or go on with the run there
	@tools/setup.sh program
	@[ -e build/tandem ] || echo 'building tandem and its Atari plug-in (about 2 minutes on 2 cores) ...'
	cmake --build build --target tandem tandem_atari
	@if ls runs/pong/checkpoints/0* >/dev/null 2>&1; then \
	  build/tandem train --resume runs/pong; \
	elif [ -e runs/pong/.lock ] && ! flock --nonblock runs/pong/.lock true; then \
	  echo 'another process trains in runs/pong: let it end first' >&2; exit 2; \
	else \
	  rm -rf runs/pong; \
	  build/tandem train paac --env atari:Pong --set algo=ppo --steps 5M --set optimizer.anneal_steps=0 \
	    --set run.until_return=18 --run-dir runs/pong; \
	fi

test: ## Install torch, football, doom and TORCS as well and run every test
	@tools/setup.sh test
	@[ -e build/tests/base_tests ] || echo 'building tandem and its tests (about 4 minutes on 2 cores) ...'
	cmake --build build
	$(CTEST) --test-dir build --label-exclude single

bench: build ## Measure where the time goes and how near the rate is to its limit (6 minutes)
	benchmarks/run.py

bench-peers: build ## Step environments, train and learn beside the peers, and print the ratios (30 minutes)
	benchmarks/python_envs.py --games Pong Qbert BeamRider --rounds 2
	benchmarks/python_examples.py --rounds 1 --warm-up 5 --slot 20
	benchmarks/side_by_side.py --rounds 2 --warm-up 4 --slot 10
	benchmarks/side_by_side.py --algo dqn --nets nature --rounds 2 --warm-up 4 --slot 10
	benchmarks/updates.py --rounds 2
	rm -rf runs/bench-peers   # a training that has ended there would not be run again
	.venv/bin/python benchmarks/time_to_score.py --goals Pong:18 --seeds 1 --cap-minutes 6 \
	  --contenders "paac --set algo=ppo" "CleanRL PPO" --out runs/bench-peers

wheel: setup ## Build the Python package's wheel and the sources of its plug-ins into dist/
	tools/make_wheel.sh

api: setup ## Build the reference of the public headers, build/api/index.html
	tools/make_api.sh
	@echo "the reference begins at build/api/index.html"

lint: ## Check format, style, likely bugs and the order of folders
	@tools/setup.sh test
	cmake --build build --target generated
	tools/lint.sh

format: setup ## Format all C++ and Python
	tools/lint.sh --format

asan: setup ## Run the tests under AddressSanitizer and UBSan, but for the trainings
	$(call sanitized,asan,address$(comma)undefined,all,)

tsan: export TSAN_OPTIONS := suppressions="$(CURDIR)/tests/support/tsan.supp"
tsan: setup ## Run the tests with threads under ThreadSanitizer, without libtorch, Python and plug-ins
	$(call sanitized,tsan,thread,tests/all,-DTANDEM_TORCH=OFF -DTANDEM_PYTHON=OFF -DTANDEM_BUILD_PLUGINS=OFF)

chaos: build ## Train on a cluster while its parts fail, with root's rights (70 minutes)
	cmake --build build
	TANDEM="$(CURDIR)/build/tandem" .venv/bin/python tests/cluster/chaos.py --seed 1

# Of each of two systems.
fuzz: export TANDEM_FUZZ_SECONDS := 300
fuzz: setup ## Forge a cluster's messages under AddressSanitizer (10 minutes)
	$(call configure_sanitized,asan,address$(comma)undefined,)
	cmake --build build-asan --target cluster_tests
	build-asan/tests/cluster_tests --gtest_filter='*Forged*:*MakeNoSense*'

clean: ## Remove what was built; keep .venv, .deps and runs
	rm -rf build build-asan build-mutants build-tsan build-wheel dist

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20
	@echo; sed -n 's/^#   \(TANDEM_\|   \)/  \1/p' tools/setup.sh

comma := ,
define configure_sanitized
cmake -S . -B build-$(1) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DTANDEM_SANITIZE=$(2) $(3) \
  -DTANDEM_TORCH_DIR="$$(cat .deps/torch-dir 2>/dev/null)"
endef
define sanitized
$(call configure_sanitized,$(1),$(2),$(4))
cmake --build build-$(1) --target $(3)
$(CTEST) --test-dir build-$(1)
endef
