"""The rate of one contender's vector environment of Atari with random actions, in turns.

Prints `@@` when all is ready. Then each line of standard input is a turn of so many seconds. The
answer is a line `@@ STEPS SECONDS CPU`: the seconds of the turn, and those of the CPU in all
threads. Between turns the contender rests. It ends with its input.

All have the same preprocessing: frame skip 4, maximum of two frames, 84x84 grey, stack 4, up to 30
no-ops and FIRE at the start, no sticky actions, whole games, raw rewards, the game's own actions,
108,000 frames at most. An environment whose game has ended is reset by its next step.
"""

import argparse
import itertools
import re
import sys
import time

import numpy as np

MAX_FRAMES = 108_000
ROUNDS = 997  # of actions that are drawn in advance
STEPS_PER_LOOK = 256  # between two looks at the clock


class Contender:
    """Steps of all environments, or of those that are ready first. Uses no information but ids."""

    action_type: type

    def __init__(self, env, num_actions, count, batch):
        self.env, self.batch = env, batch
        actions = np.random.default_rng(1).integers(num_actions, size=(ROUNDS, count))
        self.actions = itertools.cycle(actions.astype(self.action_type))

    def step(self):
        """Steps all at once and waits for all. Returns how many steps those were."""
        return len(self.env.step(next(self.actions))[1])

    def start(self):
        """Starts a step of each, or a reset, whose results `turn` receives."""
        raise NotImplementedError

    def turn(self):
        """Receives the environments that are ready, and sends them their next actions."""
        raise NotImplementedError


class Tandem(Contender):
    action_type = np.int64

    def __init__(self, args):
        import tandem

        env = tandem.make_vec(
            f"atari:{args.game}",
            args.envs,
            args.threads,
            frame_skip=4,
            sticky=0,
            stack=4,
            noop_max=30,
            fire_reset=True,
            life_loss_terminal=False,
            full_action_set=False,
            max_frames=MAX_FRAMES,
        )
        super().__init__(env, env.single_action_space.n, args.envs, args.batch)
        env.reset(seed=1)

    def start(self):
        self.env.send(next(self.actions))

    def turn(self):
        ids = self.env.recv(self.batch)[4]["env_id"]
        self.env.send(next(self.actions)[: len(ids)], ids)
        return len(ids)


class EnvPool(Contender):
    action_type = np.int32

    def __init__(self, args):
        import envpool

        env = envpool.make(
            f"{args.game}-v5",
            env_type="gymnasium",
            num_envs=args.envs,
            batch_size=args.batch or args.envs,
            num_threads=args.threads,
            frame_skip=4,
            repeat_action_probability=0.0,
            stack_num=4,
            noop_max=30,
            use_fire_reset=True,
            episodic_life=False,
            full_action_space=False,
            max_episode_steps=MAX_FRAMES // 4,
            reward_clip=False,
        )
        super().__init__(env, env.action_space.n, args.envs, args.batch)
        if not args.batch:
            env.reset()

    def start(self):
        self.env.async_reset()

    def turn(self):
        ids = self.env.recv()[4]["env_id"]
        self.env.send(next(self.actions)[: len(ids)], ids)
        return len(ids)


class Ale(Contender):
    action_type = np.int64

    def __init__(self, args):
        from ale_py.vector_env import AtariVectorEnv

        env = AtariVectorEnv(
            re.sub(r"(?<!^)(?=[A-Z])", "_", args.game).lower(),
            args.envs,
            batch_size=args.batch,
            num_threads=args.threads,
            frameskip=4,
            repeat_action_probability=0.0,
            stack_num=4,
            maxpool=True,
            noop_max=30,
            use_fire_reset=True,
            episodic_life=False,
            full_action_space=False,
            max_num_frames_per_episode=MAX_FRAMES,
            reward_clipping=False,
        )
        super().__init__(env, env.single_action_space.n, args.envs, args.batch)
        env.reset(seed=1)

    def start(self):
        self.env.send(next(self.actions)[: self.batch])  # `reset` has received these

    def turn(self):
        received = len(self.env.recv()[1])
        self.env.send(next(self.actions)[:received])  # of the environments received last
        return received


CONTENDERS = {"tandem": Tandem, "envpool": EnvPool, "ale": Ale}


def rate(step, seconds, unmeasured, steps_per_look=STEPS_PER_LOOK):
    """The steps taken in about so many seconds, the seconds, and the CPU's seconds of all threads.

    The first steps do not count: their results may be there since the turn before.
    """
    while unmeasured > 0:
        unmeasured -= step()
    steps, begin, cpu = 0, time.perf_counter(), time.process_time()
    while True:
        end = steps + steps_per_look
        while steps < end:
            steps += step()
        passed = time.perf_counter() - begin
        if passed >= seconds:
            return steps, passed, time.process_time() - cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("--game", default="Pong")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=0, help="0: step; else send and receive")
    args = parser.parse_args()
    contender = CONTENDERS[args.contender](args)
    if args.batch:
        contender.start()
    step = contender.turn if args.batch else contender.step
    print("@@", flush=True)
    for line in sys.stdin:
        print("@@", *rate(step, float(line), 2 * args.envs), flush=True)


if __name__ == "__main__":
    main()
