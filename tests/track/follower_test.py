"""Follows stand-ins of a run into a stand-in of a tracker: what is passed on, once and in order.

Seen failing with a reader that takes half a line, that does not look whether its last line is still
there, or that looks at the file's length alone; with a follower that asks for the lock after it has
read the lines, that does not see the lock, that ends when there is a result, that passes all lines
on, that does not ask the tracker before it repeats a call, that believes its record more than the
tracker, that writes no record, that never gives up, that gives up while the run trains or at once
when it has ended, that repeats its complaints, and that does not look whether the folder is the
same.
"""

import contextlib
import io
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from stand_ins import FakeTracker, Run
from tandem_track.errors import TrackError
from tandem_track.follower import PATIENCE, Follower
from tandem_track.lines import SOURCES, LineReader
from tandem_track.record import Record, RecordFile
from tandem_track.run_folder import RunFolder, flat
from tandem_track.tracker import Place

PLACE = Place("project", "name", "", False)
DOWN = ConnectionError("no route")


class Script:
    """Pauses that take no time: each makes the next action; after the last one it refuses."""

    def __init__(self, *actions):
        self.actions = list(actions)
        self.waited = 0.0

    def __call__(self, seconds):
        self.waited += seconds
        if not self.actions:
            return False
        self.actions.pop(0)()
        return True


class Folder(RunFolder):
    """A run's folder that makes an action before it looks at the lock."""

    def __init__(self, path):
        super().__init__(path)
        self.before_answer = lambda: None

    def is_training(self):
        self.before_answer()
        return super().is_training()


class Follow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "run"
        self.run_ = Run(self.path)
        self.run_.begin()
        self.addCleanup(lambda: self.run_.kill())
        self.folder = Folder(self.path)
        self.tracker = FakeTracker()
        self.file = RecordFile(self.path, "fake")
        self.file.path.parent.mkdir()
        self.output = ""

    def follow(self, *actions, wait=False):
        """Follows as a new process does. Returns whether it came to the end of the run."""
        record = self.file.read() or Record(PLACE, "run-1")
        script = self.script = Script(*actions)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                follower = Follower(self.folder, self.tracker, self.file, record, script)
                return follower.follow(wait)
        finally:
            self.output = said.getvalue()
            self.waited = script.waited

    def test_options_of_the_machine_stay_here(self):
        own = 'python = "/p"\nrom_dir = "/r"\nworkers = 2\ntimeout_seconds = 9.0\npickle = "x"\n'
        self.run_.begin(f'[env]\nid = "catch"\n{own}')
        self.assertEqual(self.folder.config(), {"env.id": "catch"})

    def test_an_ended_run(self):
        self.run_.log(10, 20, 30, note="text", none=None, on=True)
        self.run_.evaluate(20)
        self.run_.end(mean_return=7.5)
        self.assertTrue(self.follow())
        self.assertEqual(
            [(p.step, dict(p.values)) for p in self.tracker.points],
            [
                (10, {"steps": 10, "loss/policy": 5}),
                (20, {"steps": 20, "loss/policy": 10}),
                (30, {"steps": 30, "loss/policy": 15}),
                (20, {"eval/steps": 20, "eval/mean": 40}),
            ],
        )
        self.assertEqual(self.tracker.finished, [("budget", 30)])
        self.assertEqual(json.loads(self.file.read().result)["mean_return"], 7.5)

    def test_a_long_run_goes_in_batches(self):
        self.run_.log(*range(1, 1202))
        self.run_.end()
        self.follow()
        self.assertEqual(self.tracker.steps(), list(range(1, 1202)))
        self.assertEqual(self.tracker.calls, 3)

    def test_a_run_that_trains(self):
        self.run_.log(10)
        log, half = self.run_.log, self.run_.write
        ended = self.follow(
            lambda: log(20, 30),
            lambda: half('{"steps": 40, "loss'),
            lambda: half('/policy": 1'),
            lambda: half("}\n"),
            self.run_.result,  # the run writes its last checkpoint still
            lambda: log(50),
            self.run_.kill,
        )
        self.assertTrue(ended)
        self.assertEqual(self.tracker.steps(), [10, 20, 30, 40, 50])
        self.assertEqual(self.output, "")

    def test_the_last_lines_may_come_just_before_the_run_is_found_ended(self):
        def end():
            self.folder.before_answer = lambda: None
            self.run_.log(20)
            self.run_.evaluate(20)
            self.run_.end()

        self.folder.before_answer = end
        self.run_.log(10)
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.steps(), [10, 20])
        self.assertEqual(self.tracker.steps("eval/steps"), [20])

    def test_a_resume_cuts_the_file(self):
        for regrown in ([30], [45, 50, 55, 58]):  # shorter and longer than before
            with self.subTest(regrown):
                self.doCleanups()
                self.setUp()
                self.run_.log(10, 20, 30, 40)

                def kill_and_resume(regrown=regrown):
                    self.run_.kill()
                    self.run_.resume(20)
                    self.run_.log(*regrown)

                self.follow(kill_and_resume, lambda: self.run_.log(60), self.run_.end)
                steps = [10, 20, 30, 40, *(step for step in regrown if step > 40), 60]
                self.assertEqual(self.tracker.steps(), steps)

    def test_started_again_it_goes_on(self):
        self.run_.log(10, 20)
        self.assertFalse(self.follow())
        self.run_.log(30)
        self.assertFalse(self.follow())
        self.run_.kill()
        self.run_.resume(20)
        self.run_.log(25, 35)
        self.run_.end()
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.steps(), [10, 20, 30, 35])

    def test_the_tracker_is_believed_more_than_the_record(self):
        self.tracker.tells = True
        self.run_.log(10, 20, 30)
        self.assertFalse(self.follow())
        record = self.file.read()
        for reached in (10, 40):  # killed before the record was written; points were lost
            record.reached["metrics.jsonl"] = reached
            self.file.write(record)
            self.assertFalse(self.follow())
            self.assertEqual(self.tracker.steps(), [10, 20, 30])
        self.run_.log(40)
        self.run_.end()
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.steps(), [10, 20, 30, 40])

    def test_a_call_that_fails_is_repeated_and_said_once(self):
        self.tracker.tells = True
        self.tracker.troubles = [(DOWN, False), (DOWN, False), (DOWN, True)]
        self.run_.log(10, 20)
        late = [lambda: self.run_.log(30), lambda: None, lambda: None]
        self.assertTrue(self.follow(*late, self.run_.end))
        self.assertEqual(self.tracker.steps(), [10, 20, 30])
        self.assertEqual(self.output.count("no route"), 1, self.output)
        self.assertEqual(self.output.count("answers again"), 1, self.output)

    def test_it_is_patient_while_the_run_trains_and_not_forever_after(self):
        self.tracker.troubles = [(DOWN, False)] * 40
        self.run_.log(10)
        ended_after = []

        def end():
            self.run_.end()
            ended_after.append(self.script.waited)

        with self.assertRaisesRegex(TrackError, "no route.*goes on from here"):
            self.follow(*[lambda: None] * 20, end, *[lambda: None] * 5)
        self.assertGreater(self.waited, 5 * PATIENCE)
        self.assertGreaterEqual(self.waited, ended_after[0] + PATIENCE)
        self.assertEqual(self.file.read(), None)
        self.tracker.troubles = []
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.steps(), [10])

    def test_a_run_that_was_killed(self):
        self.run_.log(10)
        self.run_.kill()
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.finished, [(None, 10)])

        def resume():
            self.run_.resume(10)
            self.run_.log(20)

        self.assertTrue(self.follow(lambda: None, resume, self.run_.end, wait=True))
        self.assertEqual(self.tracker.steps(), [10, 20])
        self.assertEqual(self.output.count("waiting for its resume"), 1)

    def test_a_folder_that_is_replaced(self):
        def replace():
            self.path.rename(self.path.with_name("kept"))
            self.path.mkdir()

        self.run_.log(10)
        with self.assertRaisesRegex(TrackError, "removed, or replaced"):
            self.follow(replace)
        shutil.rmtree(self.path)
        self.path.with_name("kept").rename(self.path)
        with self.assertRaisesRegex(TrackError, "removed, or replaced"):
            self.follow(lambda: shutil.rmtree(self.path))

    def test_damaged_lines_are_left_out(self):
        self.run_.log(10)
        self.run_.write('{"steps": \n[]\n{"steps": "a"}\n\n{"steps": 20, "loss/policy": NaN}\n')
        self.run_.end()
        self.assertTrue(self.follow())
        self.assertEqual(self.tracker.steps(), [10, 20])
        self.assertNotIn("loss/policy", self.tracker.points[-1].values)
        self.assertEqual(self.output.count("damaged"), 1)

    def test_one_process_at_a_time(self):
        with self.file.alone():
            with self.assertRaisesRegex(TrackError, "another process"), self.file.alone():
                pass
            with RecordFile(self.path, "other").alone():
                pass
        with self.file.alone():
            pass

    def test_a_damaged_record(self):
        for text in ("", "[]", "{}", '{"place": 3}', '{"place": {"project": "a"}}'):
            self.file.path.write_text(text)
            with self.assertRaisesRegex(TrackError, "damaged.*--new"):
                self.file.read()


class Reader(unittest.TestCase):
    def test_a_file_that_comes_goes_and_comes_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lines"
            reader = LineReader(file)
            self.assertEqual(list(reader.read()), [])
            file.write_bytes(b"a\nb\nc")
            self.assertEqual(list(reader.read()), [b"a\n", b"b\n"])
            self.assertEqual(list(reader.read()), [])
            file.unlink()
            self.assertEqual(list(reader.read()), [])
            file.write_bytes(b"a\n")
            self.assertEqual(list(reader.read()), [b"a\n"])

    def test_names(self):
        self.assertEqual(
            flat({"a": {"b": 1, "c": {"d": "x"}}, "e": [1, 2], "f": None, "g": True}),
            {"a.b": 1, "a.c.d": "x", "e": "[1, 2]", "g": True},
        )
        self.assertEqual([source.step_name for source in SOURCES], ["steps", "eval/steps"])


if __name__ == "__main__":
    unittest.main()
