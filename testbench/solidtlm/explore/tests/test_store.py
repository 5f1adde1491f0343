# SPDX-License-Identifier: Apache-2.0
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from solidtlm.explore import job, store as stores
from solidtlm.explore.journal import Journal, StudyBusy

KEY = "ab" * 32


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = stores.Store(self.folder / "store")

    def test_what_is_written_is_read(self):
        self.assertIsNone(self.store.read(KEY))
        self.store.write(KEY, stores.packed({"result": {"b": 1, "a": 2}}))
        self.assertEqual(list(self.store.read(KEY)["result"]), ["b", "a"], "sums are made in this order")
        self.assertEqual(stores.Store(self.folder / "store").identity, self.store.identity)

    def test_a_crash_between_write_and_rename_leaves_nothing(self):
        with mock.patch("os.replace", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.store.write(KEY, stores.packed({"result": 1}))
        self.assertNotIn(KEY, self.store)
        self.assertEqual(list((self.store.folder / "records" / "ab").iterdir()), [])

    def test_a_writer_that_was_killed_leaves_a_file_that_is_not_taken_for_a_record(self):
        path = self.store.path(KEY)
        path.parent.mkdir(parents=True)
        left = path.parent / f".{path.name}.somewhere.1.2.tmp"
        left.write_bytes(b"half")
        self.assertIsNone(self.store.read(KEY))
        self.store.remove_leftovers()
        self.assertTrue(left.exists(), "it may still be written")
        os.utime(left, (0, 0))
        self.store.remove_leftovers()
        self.assertFalse(left.exists())

    def test_damage_counts_as_missing(self):
        data = stores.packed({"result": list(range(100))})
        for damaged in (b"", data[:30], data[:-1], data[:40] + bytes([data[40] ^ 1]) + data[41:]):
            self.store.write(KEY, damaged)
            self.assertIsNone(self.store.read(KEY))
            self.assertNotIn(KEY, self.store)

    def test_many_writers_of_one_record(self):
        data = stores.packed({"result": list(range(5000))})
        read = []

        def write():
            for _ in range(20):
                stores.write_whole(self.store.path(KEY), data)
                read.append(self.store.read(KEY))

        threads = [threading.Thread(target=write) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(len(read), 80)
        self.assertTrue(all(each == {"result": list(range(5000))} for each in read))

    def test_another_machine_may_have_another_store_there(self):
        self.assertIsNotNone(stores.Store.seen(self.store.folder, self.store.identity))
        self.assertIsNone(stores.Store.seen(self.store.folder, "another"))
        self.assertIsNone(stores.Store.seen(self.folder / "nothing", self.store.identity))


class Failures(unittest.TestCase):
    def test_kinds(self):
        for code, text, kind in ((2, "error: dram.size: too small", "invalid configuration"), (None, "", "timeout"),
                                 (-11, "", "crash"), (1, "error: the drive stalled", "stall"),
                                 (1, "error: 3 mismatches", "fault")):
            self.assertEqual(job.failure_of(code, text.splitlines(), 1)[0], kind)

    def test_a_run_that_was_ended_says_nothing_about_the_drive(self):
        wanted = {"files": {}, "program": "p", "argv": [], "kept": False, "timeout": 1, "command": "c", "inputs": {}}
        for code, raised in ((-9, True), (-2, True), (-11, False)):
            with tempfile.TemporaryDirectory() as folder, \
                    mock.patch("solidtlm.explore.job.run_to_its_end", return_value=(code, [])):
                if raised:
                    with self.assertRaises(job.RunKilled):
                        job.execute(wanted, Path(folder), None)
                else:
                    self.assertEqual(job.execute(wanted, Path(folder), None)["failure"]["kind"], "crash")

    def test_a_run_finds_no_files_of_the_one_before(self):
        folder = job.Folder.take()
        (folder.path / "out").mkdir()
        (folder.path / "out" / "result.json").write_text("{}")
        folder.give_back()
        again = job.Folder.take()
        self.assertIs(again, folder)
        self.assertEqual(list(again.path.iterdir()), [again.path / "out"])
        self.assertEqual(list((again.path / "out").iterdir()), [])
        path = again.path
        del folder, again  # not given back: its run failed
        self.assertFalse(path.exists())
        self.assertNotEqual(job.Folder.take().path, path)


class Decisions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_decision_is_taken_once(self):
        journal = Journal(self.folder)
        self.assertEqual(journal.decide(("points", 0), lambda: [1, 2]), [1, 2])
        journal.close()
        again = Journal(self.folder)
        self.assertEqual(again.decide(("points", 0), self.fail), [1, 2])
        again.close()

    def test_half_a_line_is_taken_again(self):
        journal = Journal(self.folder)
        journal.decide(("points", 0), lambda: 1)
        journal.decide(("points", 1), lambda: 2)
        journal.close()
        path = self.folder / "journal.jsonl"
        path.write_bytes(path.read_bytes()[:-5])
        again = Journal(self.folder)
        self.assertEqual(again.known("points", 0), 1)
        self.assertIsNone(again.known("points", 1))
        again.decide(("points", 1), lambda: 3)
        again.close()
        self.assertEqual(len(path.read_text().splitlines()), 2)

    def test_one_coordinator_a_study(self):
        journal = Journal(self.folder)
        with self.assertRaises(StudyBusy):
            Journal(self.folder)
        journal.close()
        Journal(self.folder).close()


if __name__ == "__main__":
    unittest.main()
