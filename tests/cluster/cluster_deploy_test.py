"""The files of deploy/: what Slurm runs, with programs that stand for Slurm's, Ray's and tandem's.

Ray checks its own YAML, where it is installed. Seen failing with a script that did not wait for the
training before it queued itself.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
LOG = 'echo "$(basename "$0") $*" >>"$LOG"\n'
STUBS = {
    "scontrol": LOG
    + """case "$1 $2" in
           "show hostnames") printf "one\\ntwo\\n" ;;
           "show job") echo "JobId=7 JobState=$STATE Reason=None" ;;
         esac""",
    "srun": 'while [[ $1 == -* ]]; do [[ $1 != -w ]] || shift; shift; done; exec "$@"',
    "hostname": "echo 10.0.0.1 fe80::1",
    "ray": 'echo "ray $* with ${RAY_max_direct_call_object_size:-}" >>"$LOG"\n',
    "sleep": "true",
    "tandem": """trap 'echo "checkpoint" >>"$LOG"; exit 0' TERM\n"""
    + LOG
    + """while [[ -e $STAY ]]; do /bin/sleep 0.05; done
         exit "${CODE:-0}\"""",
}

# The default training of a job of one process.
SINGLE = "paac --set algo=ppo --env atari:Pong"


class Slurm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"
        self.stay = self.folder / "stay"
        programs = self.folder / "bin"
        programs.mkdir()
        for name, text in STUBS.items():
            (programs / name).write_text(f"#!/bin/bash\n{text}\n")
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "LOG": str(self.log),
            "STAY": str(self.stay),
            "STATE": "RUNNING",
            "SLURM_JOB_NODELIST": "one,two",
            "SLURM_JOB_ID": "7",
            "SLURM_CPUS_PER_TASK": "4",
        }

    def begin(self, script="slurm.sbatch"):
        return subprocess.Popen(
            ["bash", DEPLOY / script],
            cwd=self.folder,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, words):
        end = time.monotonic() + 30
        while not self.log.exists() or words not in self.log.read_text():
            self.assertLess(time.monotonic(), end, f"no {words}")
            time.sleep(0.02)

    def test_a_job_without_time_writes_a_checkpoint_and_queues_itself(self):
        self.stay.touch()
        process = self.begin()
        self.wait_for("tandem cluster train")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, errors)
        lines = self.log.read_text().splitlines()
        run = self.folder / "runs/pong"
        self.assertIn(
            "tandem cluster train apex --config apex/atari --env atari:Pong --actors 340 "
            f"--shards 4 --run-dir {run} --address=10.0.0.1:6379",
            lines,
        )
        self.assertEqual(lines[-2:], ["checkpoint", "scontrol requeue 7"])
        rays = [line for line in lines if line.startswith("ray start")]
        self.assertEqual([line.rpartition(" with ")[2] for line in rays], ["1048576"] * 2)
        self.assertEqual((self.folder / ".ray-token").stat().st_mode & 0o777, 0o600)

    # Seen failing when each SIGTERM queued the job again.
    def test_a_cancelled_job_stays_cancelled(self):
        self.environment["STATE"] = "CANCELLED"
        self.stay.touch()
        for script in ("slurm.sbatch", "slurm-single.sbatch"):
            with self.subTest(script):
                self.log.unlink(missing_ok=True)
                process = self.begin(script)
                self.wait_for("tandem ")
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 0, errors)
                self.assertEqual(self.log.read_text().splitlines()[-1], "checkpoint")

    # Seen failing with a script that has no trap, as the page once described it.
    def test_a_job_of_one_process_writes_a_checkpoint_and_goes_on(self):
        self.stay.touch()
        run = self.folder / "runs/pong"
        begins = f"tandem train {SINGLE} --run-dir {run}"
        for command in (begins, f"tandem train --resume {run}"):
            process = self.begin("slurm-single.sbatch")
            self.wait_for(command)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0, errors)
            lines = self.log.read_text().splitlines()
            self.assertEqual(
                lines, [command, "scontrol show job 7", "checkpoint", "scontrol requeue 7"]
            )
            self.log.unlink()
            (run / "checkpoints/000000000900").mkdir(parents=True, exist_ok=True)
            (run / "config.toml").touch()

    def lose(self, *files):
        """The folder of a run that was lost, with these files."""
        run = self.folder / "runs/pong"
        for file in ("config.toml", *files):
            (run / file).parent.mkdir(parents=True, exist_ok=True)
            (run / file).touch()
        return run

    # Seen failing when a folder with a config was resumed, which has nothing to go on from.
    def test_a_run_of_one_process_that_has_no_checkpoint_begins_anew(self):
        run = self.lose(".lock", "metrics.jsonl", "checkpoints/.tmp-900")
        process = self.begin("slurm-single.sbatch")
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, errors)
        lines = self.log.read_text().splitlines()
        self.assertEqual(lines, [f"tandem train {SINGLE} --run-dir {run}"])
        self.assertFalse(run.exists())
        (lost,) = run.parent.glob("pong.lost-*")
        self.assertTrue((lost / "metrics.jsonl").exists())

    def test_a_folder_that_may_be_of_worth_stays(self):
        for files in (("best/000000000900/state.json", ".lock"), ("thesis.tex",)):
            with self.subTest(files=files):
                run = self.lose(*files)
                self.begin("slurm-single.sbatch").communicate(timeout=30)
                self.assertTrue((run / files[0]).exists())
                shutil.rmtree(run)

    # Seen failing when an error of find counted as no checkpoint, so that the run was moved away.
    def test_a_folder_that_cannot_be_read_stays(self):
        run = self.lose(".lock", "checkpoints/000000000900/state.json")
        find = self.folder / "bin/find"
        find.write_text("#!/bin/sh\nexit 1\n")
        find.chmod(0o755)
        process = self.begin("slurm-single.sbatch")
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertTrue((run / "checkpoints").exists())

    def test_a_job_of_one_process_ends_as_its_training(self):
        for code in (0, 2):
            self.environment["CODE"] = str(code)
            process = self.begin("slurm-single.sbatch")
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, code)
        self.assertNotIn("requeue", self.log.read_text())

    def test_all_ways_to_start_ray_let_messages_go_from_process_to_process(self):
        for file in ("Dockerfile", "slurm.sbatch", "../docs/cluster.md"):
            text = (DEPLOY / file).read_text()
            self.assertTrue("RAY_max_direct_call_object_size=1048576" in text, file)

    # The same command goes on with a run: see PlanTest in cluster_host_test.py.
    def test_a_job_that_was_queued_again_has_the_same_command(self):
        for _ in range(2):
            process = self.begin()
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0, errors)
        lines = self.log.read_text().splitlines()
        self.assertEqual(len({line for line in lines if line.startswith("tandem ")}), 1)
        self.assertNotIn("requeue", self.log.read_text())


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class Yaml(unittest.TestCase):
    def test_ray_accepts_the_cluster_of_machines_with_ssh(self):
        import yaml
        from ray.autoscaler._private.util import prepare_config, validate_config

        config = yaml.safe_load((DEPLOY / "ray-cluster.yaml").read_text())
        validate_config(prepare_config(config))
        # Without it the head starts no worker, and Ray only warns.
        self.assertIn(" --autoscaling-config=", config["head_start_ray_commands"][-1])

    def test_the_job_of_kuberay_asks_for_as_many_actors_as_it_has_room_for(self):
        import yaml

        job = yaml.safe_load((DEPLOY / "kuberay.yaml").read_text())["spec"]
        cluster = job["rayClusterSpec"]
        groups = [(1, cluster["headGroupSpec"])]
        groups += [(group["replicas"], group) for group in cluster["workerGroupSpecs"]]
        cpus = sum(count * int(group["rayStartParams"]["num-cpus"]) for count, group in groups)
        words = job["entrypoint"].split()
        actors = int(words[words.index("--actors") + 1])
        shards = int(words[words.index("--shards") + 1])
        self.assertLessEqual(actors + 1 + 0.25 * shards, cpus)


if __name__ == "__main__":
    unittest.main()
