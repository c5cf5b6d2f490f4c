"""Writes cartpole.csv and pendulum.csv: single steps of Gymnasium's CartPole-v1 and Pendulum-v1.

Each line holds the state before, the action, the state after, the reward, and whether the episode
terminated, all in full precision. The files were made with Gymnasium 1.2.0 and NumPy 2.4.6.
"""

import csv
import pathlib

import gymnasium
import numpy

LINES = 400
FOLDER = pathlib.Path(__file__).parent


def write(name, lines):
    with open(FOLDER / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([[repr(float(value)) for value in line] for line in lines])


def cartpole(random):
    env = gymnasium.make("CartPole-v1").unwrapped
    for _ in range(LINES):
        env.reset()
        state = random.uniform(-1, 1, 4) * [2.6, 3, 0.25, 3]
        env.state = state
        action = int(random.integers(2))
        _, reward, terminated, _, _ = env.step(action)
        yield [*state, action, *env.state, reward, terminated]


def pendulum(random):
    env = gymnasium.make("Pendulum-v1").unwrapped
    for _ in range(LINES):
        env.reset()
        state = random.uniform(-1, 1, 2) * [10, 8]
        env.state = state
        torque = random.uniform(-2.5, 2.5, 1).astype(numpy.float32)
        _, reward, terminated, _, _ = env.step(torque)
        yield [*state, torque[0], *env.state, reward, terminated]


if __name__ == "__main__":
    write("cartpole", cartpole(numpy.random.default_rng(1)))
    write("pendulum", pendulum(numpy.random.default_rng(2)))
