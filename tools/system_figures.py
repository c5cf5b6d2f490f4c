"""The figures of the systems, one for each paper: threads, queues, parameters, flow of data.

Their shapes follow src/tandem/systems/NAME/NAME.cc; numbers are those of the presets NAME/atari.
draw_figures.py draws them.
"""

from diagram import Arrow, Box, Figure, Frame


def group(number: int, x: float) -> tuple[tuple[Box, ...], tuple[Arrow, ...], Frame]:
    """A group of PAAC's environments, with its left edge at x."""
    act, loss, env, rollout = (f"{part}{number}" for part in ("act", "loss", "env", "rollout"))
    boxes = (
        Box(act, "step", x + 20, 204, 132, 66, "Collector", ("network and", "acting rule")),
        Box(loss, "step", x + 244, 204, 132, 66, "gradient", ("RolloutLoss,", "backward")),
        Box(env, "environment", x + 20, 356, 132, 66, "VecEnv", ("16 environments",)),
        Box(rollout, "queue", x + 244, 356, 132, 66, "Rollout", ("t_max steps",)),
    )
    arrows = (
        Arrow((f"{act}.bottom@32", f"{env}.top@32"), "actions", (x + 82, 330)),
        Arrow((f"{env}.right", f"{rollout}.left"), "frames,\nrewards,\nends", (x + 198, 362)),
        Arrow(
            (f"{rollout}.top@34", (None, 298), (x + 125, None), f"{act}.bottom@="),
            "observations",
            (x + 201, 311),
        ),
        Arrow((f"{rollout}.top@92", f"{loss}.bottom@92"), "all steps", (x + 308, 332)),
        Arrow((f"{act}.right", f"{loss}.left"), "kept\nactivations", (x + 198, 214)),
        Arrow((f"learner.bottom@{x + 62}", f"{act}.top@="), "θ", (x + 98, 150)),
        Arrow(
            (f"{loss}.top", "learner.bottom@="),
            f"gradient {number}",
            (x + 318, 150),
            "start",
        ),
    )
    return boxes, arrows, Frame(x, 184, 396, 280, f"group {number}, on any worker that is free")


def paac() -> Figure:
    boxes0, arrows0, frame0 = group(0, 24)
    boxes1, arrows1, frame1 = group(1, 440)
    text = "one update from the gradients, added in the order of the groups"
    learner = Box("learner", "parameters", 24, 52, 812, 62, "Learner: θ, optimizer", (text,))
    return Figure(
        "PAAC: groups of environments collect side by side, and one update is made of all",
        860,
        524,
        (learner, *boxes0, *boxes1),
        (*arrows0, *arrows1),
        (frame0, frame1),
        ("All groups end their t_max steps before the update, and reload θ after it.",),
    )


def a3c() -> Figure:
    return Figure(
        "A3C: each thread acts, differentiates, and moves the shared θ without a lock",
        860,
        552,
        (
            Box(
                "theta",
                "parameters",
                24,
                52,
                330,
                66,
                "θ and RMSProp's g (Hogwild)",
                ("of all threads: read while others write",),
            ),
            Box(
                "target",
                "parameters",
                546,
                52,
                290,
                66,
                "θ- (TargetParameters)",
                ("of the value-based methods alone",),
            ),
            Box("copy", "parameters", 100, 216, 180, 66, "θ' and its network", ("each thread's",)),
            Box("act", "step", 380, 216, 150, 66, "Collector", ("acts by θ'",)),
            Box("env", "environment", 650, 216, 130, 66, "VecEnv", ("one environment",)),
            Box("loss", "step", 100, 376, 180, 66, "gradient", ("RolloutLoss, backward",)),
            Box("rollout", "queue", 380, 376, 150, 66, "Rollout", ("up to t_max steps",)),
            Box("own", "parameters", 650, 376, 130, 66, "copy of θ-", ("each thread's",)),
        ),
        (
            Arrow(
                ("theta.right", "target.left"), "every I_target\nsteps of all threads", (450, 64)
            ),
            Arrow(
                ("theta.bottom@166", "copy.top@="),
                "copied before\neach rollout",
                (200, 150),
                "start",
            ),
            Arrow(("copy.right", "act.left"), "heads", (330, 238)),
            Arrow(("act.right", "env.left"), "action", (590, 238)),
            Arrow(
                ("env.bottom@26", (None, 322), (500, None), "rollout.top@="),
                "frame, reward, end",
                (590, 336),
            ),
            Arrow(("rollout.top@30", "act.bottom@30"), "observation", (402, 330), "end"),
            Arrow(("rollout.left", "loss.right"), "all steps", (330, 398)),
            Arrow(("copy.bottom", "loss.top"), "kept\nactivations", (200, 330), "start"),
            Arrow(("loss.left", (60, None), "theta.bottom@="), "gradient", (70, 330), "start"),
            Arrow(
                ("target.bottom@262", (None, 409), "own.right@="),
                "copied if newer",
                (798, 150),
                "end",
            ),
            Arrow(("own.left", "rollout.right"), "values of\nlast states", (590, 388)),
        ),
        (Frame(24, 184, 812, 302, "actor-learner thread, one of 16"),),
        ("Actor-critics have no θ-: there θ' values the last state.",),
    )


def ga3c() -> Figure:
    agents = ("Collector and VecEnv;", "ask by a PolicyClient,", "keep no model")
    return Figure(
        "GA3C: agents ask for predictions and send experiences; there is one model",
        860,
        482,
        (
            Box("agents", "thread", 24, 84, 190, 326, "agents (N_A)", agents, many=True),
            Box("ask", "queue", 340, 84, 186, 66, "prediction queue", ("BatchedInference",)),
            Box(
                "predict",
                "thread",
                640,
                84,
                180,
                76,
                "predictors (N_P)",
                ("answer all that wait", "by a copy of θ"),
                many=True,
            ),
            Box("model", "parameters", 640, 220, 180, 56, "SharedModel: θ", ("with a version",)),
            Box("queue", "queue", 340, 344, 186, 66, "training queue", ("full: agents wait",)),
            Box(
                "train",
                "thread",
                640,
                344,
                180,
                66,
                "trainers (N_T)",
                ("min_batch steps or more",),
                many=True,
            ),
        ),
        (
            Arrow(("agents.right@24", "ask.left@="), "observations", (281, 96)),
            Arrow(("ask.right@24", "predict.left@="), "a batch", (583, 96)),
            Arrow(
                ("predict.left@60", (583, None), (None, 190), "agents.right@="),
                "policy, value",
                (432, 203),
            ),
            Arrow(("agents.right@293", "queue.left@="), "experiences", (281, 364)),
            Arrow(("queue.right", "train.left@="), "rollouts", (583, 364)),
            Arrow(("model.top", "predict.bottom@="), "copied if newer", (740, 190), "start"),
            Arrow(("model.bottom@50", "train.top@="), "copied\nif newer", (680, 306), "end"),
            Arrow(("train.top@100", "model.bottom@="), "gradient,\nlocked", (750, 306), "start"),
        ),
        (),
        (
            "The main thread resizes the three teams (Ga3cSearch) and writes checkpoints"
            " (CheckpointLoop).",
        ),
    )


def hts() -> Figure:
    return Figure(
        "HTS-RL: executors, actors and learners work at once and meet every α steps",
        860,
        550,
        (
            Box(
                "execute",
                "thread",
                24,
                84,
                200,
                84,
                "executors",
                ("VecEnv and Collector;", "draw all that is random"),
                many=True,
            ),
            Box(
                "ask",
                "queue",
                346,
                84,
                200,
                84,
                "state and action buffer",
                ("BatchedInference",),
            ),
            Box(
                "act",
                "thread",
                650,
                84,
                170,
                84,
                "actors",
                ("one row of a batch", "after another"),
                many=True,
            ),
            Box(
                "acting",
                "parameters",
                646,
                234,
                182,
                60,
                "PublishedParameters",
                ("θⱼ, which acts",),
            ),
            Box("write", "queue", 24, 268, 200, 66, "HtsStorage", ("what θⱼ does",)),
            Box("read", "queue", 24, 386, 200, 66, "HtsStorage", ("what θⱼ₋₁ did",)),
            Box(
                "learn",
                "thread",
                346,
                377,
                200,
                84,
                "learners",
                ("gradients at θⱼ₋₁,", "one for each group"),
                many=True,
            ),
            Box("learner", "parameters", 646, 386, 182, 66, "Learner", ("moves θⱼ to θⱼ₊₁",)),
        ),
        (
            Arrow(("execute.right@25", "ask.left@="), "observations", (289, 97)),
            Arrow(("ask.left@62", "execute.right@="), "policy", (289, 160)),
            Arrow(("ask.right@25", "act.left@="), "a batch", (598, 97)),
            Arrow(("act.left@62", "ask.right@="), "policies", (598, 160)),
            Arrow(("acting.top", "act.bottom@="), "copied if newer", (746, 202), "start"),
            Arrow(
                ("execute.bottom", "write.top"), "α steps of each environment", (134, 220), "start"
            ),
            Arrow(("write.bottom", "read.top"), "swapped", (134, 360), "start", both=True),
            Arrow(("read.right", "learn.left@="), "rollouts", (284, 407)),
            Arrow(("learn.right", "learner.left@="), "gradients", (600, 407)),
            Arrow(("learner.top", "acting.bottom"), "θⱼ₊₁, staged", (746, 342), "start"),
        ),
        (),
        (
            "Rendezvous, every α steps: the storages are swapped and θⱼ₊₁ is published.",
            "With hts.actors = 0 each executor predicts for itself, by a copy of θⱼ"
            " (LocalInference).",
        ),
    )


def impala() -> Figure:
    return Figure(
        "IMPALA: actors play whole unrolls by a copy of θ; the learner corrects by V-trace",
        860,
        390,
        (
            Box(
                "act",
                "thread",
                24,
                84,
                200,
                100,
                "actors",
                ("Collector and VecEnv;", "a copy of θ each"),
                many=True,
            ),
            Box("queue", "queue", 350, 94, 180, 80, "TrainingQueue", ("full: actors wait",)),
            Box(
                "learn",
                "thread",
                640,
                84,
                196,
                100,
                "learner",
                ("ExperienceTrainer:", "values last states anew,", "V-trace, backward"),
            ),
            Box("model", "parameters", 350, 254, 180, 66, "SharedModel: θ", ("with a version",)),
        ),
        (
            Arrow(("act.right", "queue.left@="), "unrolls with\nlog μ(a|x)", (291, 109)),
            Arrow(("queue.right", "learn.left@="), "4 unrolls\nor more", (585, 109)),
            Arrow(("learn.bottom@130", (None, 301), "model.right@="), "gradient", (650, 315)),
            Arrow(("model.right@20", (690, None), "learn.bottom@="), "copied", (610, 261)),
            Arrow(
                ("model.left", (124, None), "act.bottom@="),
                "copied when an unroll begins",
                (236, 301),
            ),
        ),
    )


def apex() -> Figure:
    actors = (
        "each in an ApexSeat:",
        "ApexPolicy, VecEnv, and an",
        "NStepBuilder for each",
        "of its environments",
    )
    replay = ("prioritized sampler,", "remover, rate limiter;", "each frame once")
    learner = ("ReplayLearner: threads", "share a batch, with", "a copy of θ- each")
    return Figure(
        "Ape-X: actors fill a prioritized replay, from which one learner learns",
        860,
        530,
        (
            Box("act", "thread", 24, 84, 206, 124, "actors", actors, many=True),
            Box("table", "queue", 356, 76, 184, 132, "replay (Table)", replay),
            Box("sample", "thread", 640, 76, 160, 60, "sampler", ("draws ahead",)),
            Box("drawn", "queue", 640, 210, 160, 60, "drawn batches", ("at most prefetch",)),
            Box("learn", "thread", 640, 344, 160, 100, "learner", learner),
            Box("model", "parameters", 356, 382, 184, 62, "SharedModel: θ", ("with a version",)),
        ),
        (
            Arrow(("act.right", "table.left@="), "segments with\nfirst priorities", (297, 126)),
            Arrow(("table.right@30", "sample.left@="), "transitions", (590, 96)),
            Arrow(("sample.bottom", "drawn.top")),
            Arrow(("drawn.bottom", "learn.top")),
            Arrow(
                ("learn.right", (830, None), (None, 106), "sample.right@="),
                "used\nbatches",
                (822, 308),
                "end",
            ),
            Arrow(("learn.left@16", (448, None), "table.bottom@="), "new priorities", (544, 347)),
            Arrow(("learn.left@69", "model.right@="), "gradient", (590, 427)),
            Arrow(
                ("model.left", (127, None), "act.bottom@="), "copied every 400 frames", (240, 427)
            ),
        ),
        (),
        ("Every 2,500 updates θ- becomes θ; every 100 updates the replay is trimmed.",),
    )
