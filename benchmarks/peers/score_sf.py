"""Sample Factory's APPO over EnvPool, with the numbers of its own example for Atari.

Workers are processes, so each appends the scores of its whole games to a file, which this process
reads. Sample Factory needs an older NumPy than the other peers, so it has a Python of its own.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from score import ScoreReport, begin_episodes, options

SCORES = "TANDEM_SCORES"  # the file's name, for the workers; they begin it with their first step
# Of its sf_examples/envpool/atari, but for the numbers of workers and environments.
NUMBERS = {
    "num_envs_per_worker": 1,
    "worker_num_splits": 1,
    "batch_size": 256,
    "rollout": 128,
    "num_epochs": 4,
    "num_batches_per_epoch": 4,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "ppo_clip_ratio": 0.1,
    "value_loss_coeff": 0.5,
    "exploration_loss_coeff": 0.01,
    "max_grad_norm": 0.5,
    "learning_rate": 2.5e-4,
    "lr_schedule": "linear_decay",
    "adam_eps": 1e-5,
    "nonlinearity": "relu",
    "encoder_conv_architecture": "convnet_atari",
    "obs_scale": 255.0,
    "use_rnn": False,
    "recurrence": 1,
    "with_vtrace": False,
    "normalize_input": False,
    "normalize_returns": False,
    "adaptive_stddev": False,
    "batched_sampling": True,
    "serial_mode": False,
    "async_rl": True,
    "device": "cpu",
    "with_wandb": False,
    "save_every_sec": 3600,
}
# A worker for each core, and the environments of each, 64 in the example. On two cores of a Xeon
# with AVX-512 two workers of 8, 16 and 64 made 273, 266 and 234 steps/s of Pong within a minute,
# four of 16 made 256, and one of 64 made 235.
OWN = {"workers": len(os.sched_getaffinity(0)), "envs": 8}


def make_env(game, seed, envs):
    """A batch of environments, as Sample Factory's agents of one environment."""
    import envpool
    import gymnasium

    pool = envpool.make(
        f"{game}-v5",
        env_type="gymnasium",
        num_envs=envs,
        num_threads=1,
        episodic_life=True,
        reward_clip=True,
        seed=seed,
    )

    class Batch(gymnasium.Env):
        num_agents = envs
        is_multiagent = True
        observation_space = pool.observation_space
        action_space = pool.action_space
        render_mode = None

        def __init__(self):
            self.scores = np.zeros(envs)
            self.begun = False

        def reset(self, **_):
            return pool.reset()[0], [{} for _ in range(envs)]

        def step(self, actions):
            if not self.begun:
                Path(os.environ[SCORES]).touch()
                self.begun = True
            actions = np.asarray(actions, np.int32).reshape(-1)
            after, rewards, terminated, truncated, info = pool.step(actions)
            self.scores += info["reward"]
            over = np.asarray(info["terminated"], bool) | truncated
            if over.any():
                with open(os.environ[SCORES], "a") as file:
                    file.write("".join(f"{score}\n" for score in self.scores[over]))
                self.scores[over] = 0
            begin_episodes(pool, terminated | truncated, after)
            return after, rewards, terminated, truncated, {}

        def close(self):
            pool.close()

    return Batch()


def make_numbered(_name, _cfg, env_config, render_mode=None):
    """The environments of a worker; a process that is started anew knows its options, too."""
    args = options(**OWN)
    worker = 0 if env_config is None else env_config.env_id
    # EnvPool adds the environment's number, and no two environments may have one seed.
    return make_env(args.game, 100_000 * args.seed + args.envs * worker, args.envs)


def train(args):
    """Trains in this process and its workers until it is ended."""
    from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
    from sample_factory.envs.env_utils import register_env
    from sample_factory.train import run_rl

    register_env("score", make_numbered)
    words = ["--algo=APPO", "--env=score", "--experiment=score", f"--seed={args.seed}"]
    words += [f"--train_dir={tempfile.mkdtemp()}", f"--train_for_env_steps={args.steps}"]
    parser, _ = parse_sf_args(words)
    # As in the example: the command line refuses its lr_schedule.
    parser.set_defaults(num_workers=args.workers, **NUMBERS)
    return run_rl(parse_full_cfg(parser, words))


def main():
    args = options(**OWN)
    if SCORES in os.environ:
        return train(args)
    # Ends the group, of which this process is the first.
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores"
        report = ScoreReport(args.goal)
        log = Path(folder) / "log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, *sys.argv],
                env=os.environ | {SCORES: str(file)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        known = 0
        while process.poll() is None:
            time.sleep(1)
            if not file.exists():  # as the others' clocks, which begin with the training
                report.begun = time.monotonic()
                continue
            scores = file.read_text().split("\n")[:-1]
            for score in scores[known:]:
                report.add(float(score))
            known = len(scores)
            report(steps_in(log))
        print(log.read_text()[-2000:])
    return process.returncode


def steps_in(log):
    """The steps that Sample Factory last told of."""
    text = log.read_text(errors="replace").rpartition("Total num frames: ")[2]
    digits = text.partition(".")[0]
    return int(digits) if digits.isdigit() else 0


if __name__ == "__main__":
    sys.exit(main())
