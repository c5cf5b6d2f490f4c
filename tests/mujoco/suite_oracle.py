"""Compares the MuJoCo plug-in with dm_control, in double precision.

usage: suite_oracle.py MUJOCO_TRACE SUITE {steps,starts,pixels} [TASK ...]

steps: in each of several episodes, both start in the same state and take the same 1000 random
controls; observations and rewards must agree to 1e-9, and ends must be the same. starts: the states
in which episodes start must be distributed alike. pixels: pictures of 84 x 84 of each world must be
the same, byte for byte, with effects and without. Exits with 77 if dm_control is not installed or
cannot draw.
"""

import os
import subprocess
import sys

os.environ["MUJOCO_GL"] = "egl" if "pixels" in sys.argv else "disable"

try:
    import mujoco
    import numpy as np
    from absl import logging
    from dm_control import suite
    from dm_control.rl.control import flatten_observation
    from scipy.stats import ks_2samp
except (ImportError, RuntimeError) as error:
    print(f"skipped: {error}; pip install dm_control==1.0.50 mujoco==3.17.0 brings it, and EGL")
    sys.exit(77)

STEPS = 1000
EPISODES = [("random", 5), ("best", 1), ("pose", 10), ("push", 3)]  # start, steps per control
CANDIDATES = 40  # for the best start
TOLERANCE = 1e-9
STARTS = 400
PICTURES = 20
SIDE = 84
EFFECTS = (
    mujoco.mjtRndFlag.mjRND_SHADOW,
    mujoco.mjtRndFlag.mjRND_REFLECTION,
    mujoco.mjtRndFlag.mjRND_SKYBOX,
)
LEAST_P = 1e-5
STATE = mujoco.mjtState.mjSTATE_INTEGRATION.value

TASKS = """
cartpole-balance cartpole-balance_sparse cartpole-swingup cartpole-swingup_sparse cheetah-run
hopper-hop hopper-stand humanoid-run humanoid-stand humanoid-walk manipulator-bring_ball
manipulator-bring_peg manipulator-insert_ball manipulator-insert_peg pendulum-swingup
point_mass-easy point_mass-hard reacher-easy reacher-hard walker-run walker-stand walker-walk
""".split()
# The other tasks share the world of one of these; only their rewards and starts differ.
WORLDS = """
cartpole-swingup cheetah-run hopper-hop humanoid-stand manipulator-bring_ball
manipulator-bring_peg manipulator-insert_ball manipulator-insert_peg pendulum-swingup
point_mass-hard reacher-easy reacher-hard walker-walk
""".split()


def load(task, seed):
    return suite.load(*task.split("-"), task_kwargs={"random": seed})


def drawn_numbers(task, physics):
    """The numbers of the model that dm_control changes at the start of an episode."""
    model = physics.named.model
    if task == "point_mass-hard":
        return model.wrap_prm[:4]
    if task.startswith("reacher"):
        return [*model.geom_pos["target"][:2], model.geom_size["target"][0]]
    if not task.startswith("manipulator"):
        return []
    peg = task.endswith("peg")
    bodies = ["target_peg" if peg else "target_ball"]
    if "insert" in task:
        bodies.append("slot" if peg else "cup")
    return [x for body in bodies for x in (*model.body_pos[body], *model.body_quat[body])]


def state_of(task, env):
    return np.concatenate([env.physics.get_state(STATE), drawn_numbers(task, env.physics)])


def features_of(observation):
    return flatten_observation(observation)["observations"]


def controls_of(env, rng, held):
    """Random controls, each held for `held` steps; the trace reads them in single precision."""
    spec = env.action_spec()
    controls = rng.uniform(spec.minimum, spec.maximum, (STEPS, *spec.shape)).astype(np.float32)
    return np.repeat(controls, held, axis=0)[:STEPS]


def first_features(env, start):
    """Starts an episode at random, at the best of many random starts, in the model's own pose, or
    in this pose with a push forward. Returns the features of the start."""
    if start == "best":
        random = env.task.random
        draws = []
        for _ in range(CANDIDATES):
            before = random.get_state()
            env.reset()
            draws.append((env.task.get_reward(env.physics), before))
        random.set_state(max(draws, key=lambda draw: draw[0])[1])
    first = env.reset()
    if start not in ("pose", "push"):
        return features_of(first.observation)
    with env.physics.reset_context():
        if start == "push":
            velocity = env.physics.data.qvel
            velocity[:] = np.random.default_rng(1).normal(2, 1, velocity.size)
    return features_of(env.task.get_observation(env.physics))


def play(task, env, features, controls):
    """A row for each state: the reward, 1 at the end or else 0, and the features."""
    rows = [[0, 0, *features]]
    for control in controls:
        step = env.step(control.astype(float))
        if step.discount != 1:
            sys.exit(f"{task}: dm_control's discount is {step.discount}, never 1 in the plug-in")
        rows.append([step.reward, step.last(), *features_of(step.observation)])
    return np.array(rows, dtype=float)


def trace(program, folder, task, state, controls, *what, dtype=float):
    given = np.int64(state.size).tobytes() + state.tobytes() + controls.tobytes()
    done = subprocess.run([program, folder, task, *what], input=given, capture_output=True)
    if done.returncode:
        sys.exit(f"{task}: {done.stderr.decode()}")
    return np.frombuffer(done.stdout, dtype).reshape(len(controls) + 1, -1)


def compare_steps(program, folder, task):
    """Returns whether all numbers agree, and prints the largest difference."""
    worst = np.zeros(2)  # rewards, features
    rewards = []
    same = True
    env = load(task, 1)
    for number, (start, held) in enumerate(EPISODES):
        features = first_features(env, start)
        state = state_of(task, env)
        controls = controls_of(env, np.random.default_rng(number), held)
        expected = play(task, env, features, controls)
        seen = trace(program, folder, task, state, controls)
        if seen.shape != expected.shape:
            print(f"{task}: {seen.shape[1] - 2} features, not {expected.shape[1] - 2}")
            return False
        off = np.abs(seen - expected)
        worst = np.maximum(worst, [off[:, 0].max(), off[:, 2:].max()])
        rewards += expected[:, 0].tolist()
        same &= np.array_equal(seen[:, 1], expected[:, 1]) and bool(expected[-1, 1])
    same &= bool(worst.max() <= TOLERANCE)
    print(
        f"{task}: {len(EPISODES)} x {STEPS} steps, features off by {worst[1]:.1e}, rewards by"
        f" {worst[0]:.1e} (seen {min(rewards):.3f} to {max(rewards):.3f})"
        f"{'' if same else ': NOT THE SAME'}",
        flush=True,
    )
    return same


def compare_starts(program, folder, task):
    env = load(task, 1)
    expected = []
    for _ in range(STARTS):
        env.reset()
        expected.append(state_of(task, env))
    expected = np.array(expected)
    done = subprocess.run([program, folder, task, str(STARTS)], capture_output=True, check=True)
    seen = np.frombuffer(done.stdout).reshape(STARTS, -1)
    # Numbers that should be 0 may be a little off.
    p = [ks_2samp(a.round(9), b.round(9)).pvalue for a, b in zip(seen.T, expected.T, strict=True)]
    print(f"{task}: {len(p)} numbers of {STARTS} starts, least p-value {min(p):.2g}", flush=True)
    return min(p) >= LEAST_P


def compare_pixels(program, folder, task):
    same = True
    for look in ("pixels", "plain"):
        env = load(task, 1)
        if look == "plain":
            env.physics.model.vis.quality.offsamples = 0
        flags = dict.fromkeys(EFFECTS if look == "plain" else (), False)
        env.reset()
        state = state_of(task, env)
        controls = controls_of(env, np.random.default_rng(1), 5)[:PICTURES]

        def draw(env=env, flags=flags):
            return env.physics.render(SIDE, SIDE, camera_id=0, render_flag_overrides=flags).ravel()

        expected = [draw()]
        for control in controls:
            env.step(control.astype(float))
            expected.append(draw())
        seen = trace(program, folder, task, state, controls, look, dtype=np.uint8)
        other = int((seen != np.array(expected)).sum())
        print(f"{task}: {len(seen)} {look}, {other} bytes of {seen.size} differ", flush=True)
        same &= other == 0 and bool((seen[0] != seen[-1]).any())
    return same


def main():
    logging.set_verbosity(logging.ERROR)  # MuJoCo warns of an old attribute in a model
    program, folder, part, *tasks = sys.argv[1:]
    compare = {"steps": compare_steps, "starts": compare_starts, "pixels": compare_pixels}[part]
    tasks = tasks or (WORLDS if part == "pixels" else TASKS)
    failed = [task for task in tasks if not compare(program, folder, task)]
    if failed:
        sys.exit("other than dm_control: " + " ".join(failed))


if __name__ == "__main__":
    main()
