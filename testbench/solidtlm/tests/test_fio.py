# SPDX-License-Identifier: Apache-2.0
"""Converting fio's output to a file in a drive's folder."""
import json
import tomllib
import unittest

from solidtlm import fio
from solidtlm.errors import UserError
from solidtlm.tests.support import InFolder

kShared = {"ioengine": "libaio", "direct": "1", "filename": "/dev/sdx"}


def side(iops, size, p50_us):
    """A part of fio 3's output, with only the fields that are read."""
    return {"iops": iops, "bw_bytes": iops * size, "slat_ns": {"mean": 5400.0}, "clat_ns": {
        "mean": p50_us * 1100.0, "percentile": {"1.000000": 1, "50.000000": p50_us * 1000, "99.000000": p50_us * 1500,
                                                "99.900000": p50_us * 2000}}}


def job(name, options, iops=10_000.0, size=4096, p50_us=90.0):
    which = "read" if options.get("rw", "read").endswith("read") else "write"
    idle = {"iops": 0.0, "bw_bytes": 0, "slat_ns": {"mean": 0.0}, "clat_ns": {"mean": 0.0}}
    return {"jobname": name, "error": 0, "job options": options, "usr_cpu": 19.4, "sys_cpu": 48.7,
            "read": idle, "write": idle, which: side(iops, size, p50_us)}


class Fio(InFolder):
    def converted(self, *jobs, before="", **more):
        folder = self.folder / "my-drive"
        folder.mkdir(exist_ok=True)
        (folder / "own.json").write_text(before + json.dumps({"fio version": "fio-3.33", "global options": kShared,
                                                              "jobs": jobs}))
        return tomllib.loads(fio.campaign(folder / "own.json", **more))

    def mistakes(self, *jobs):
        with self.assertRaises(UserError) as raised:
            self.converted(*jobs)
        return raised.exception.messages

    def test_depths_of_a_load_are_rows_of_a_test(self):
        found = self.converted(job("d32", {"rw": "randread", "bs": "4k", "iodepth": "32"}, 52_419.3, p50_us=600.0),
                               job("d1", {"rw": "randread", "bs": "4k", "iodepth": "1"}), host="ibm-m1015",
                               precondition="fill=0.5,random=0", before="fio: some remark\n")
        self.assertEqual((found["host"], found["latency"]), ("ibm-m1015", "completion"))
        self.assertEqual(found["source"], "fio-3.33, own.json")
        [test] = found["test"]
        self.assertEqual((test["name"], test["load"]), ("random-read-4k", "random,read=1,size=4k"))
        self.assertEqual(test["precondition"], "fill=0.5,random=0")
        self.assertEqual(test["columns"], ["depth", "iops", "mean_us", "p50_us", "p99_us", "p999_us"])
        self.assertEqual(test["figures"], [[1, 10_000, 99, 90, 135, 180], [32, 52_419.3, 660, 600, 900, 1200]])
        self.assertNotIn("writes", test)

    def test_loads(self):
        found = self.converted(job("w", {"rw": "write", "bs": "128k", "iodepth": "4", "numjobs": "8"}, 1000.0, 131_072),
                               job("r8", {"rw": "randwrite", "bs": "8k"}, size=8192))
        sequential, random = found["test"]
        self.assertEqual(sequential["load"], "sequential,read=0,size=128k,streams=8")
        self.assertEqual(sequential["figures"][0][:2], [32, 131.072])
        self.assertEqual(sequential["columns"][1], "mb_per_s")
        self.assertEqual(random["load"], "random,read=0,size=8k,align=8k")
        self.assertEqual((random["figures"][0][:2], random["writes"]), ([1, 10_000], 0.1))

    def mixed(self, options, **more):
        """7,000 reads of 100 us on average and 3,000 writes of 40 us per second."""
        parts = {"read": side(7000.0, 4096, 100 / 1.1), "write": side(3000.0, 4096, 40 / 1.1)}
        return {**job("mix", options), **parts, **more}

    def test_rates_of_a_mixed_load_are_totals(self):
        for options, load in (({"rw": "randrw", "rwmixread": "70"}, "random,read=0.7,size=4k"),
                              ({"rw": "randrw", "rwmixwrite": "30"}, "random,read=0.7,size=4k"),
                              ({"rw": "randrw"}, "random,read=0.5,size=4k"),
                              ({"readwrite": "rw", "rwmixread": "70"}, "sequential,read=0.7,size=4k")):
            [test] = self.converted(self.mixed({**options, "iodepth": "8"}))["test"]
            self.assertEqual(test["load"], load)
            self.assertEqual(test["columns"], ["depth", "iops", "mean_us"], "there are no percentiles of both")
            self.assertEqual(test["figures"], [[8, 10_000, 82]], "0.7 x 100 + 0.3 x 40 us")
            self.assertEqual(test["writes"], 0.1, "the drive is written, too")
        self.assertEqual(test["name"], "sequential-read70-4k")

    def test_measured_together_a_mixed_load_has_percentiles(self):
        together = {"mixed": side(10_000.0, 4096, 80.0)}
        [test] = self.converted(self.mixed({"rw": "randrw", "rwmixread": "70"}, **together))["test"]
        self.assertEqual(test["figures"], [[1, 10_000, 88, 80, 120, 160]])

    def test_a_mixed_load_of_large_requests_has_a_total_bandwidth(self):
        entry = {**job("mix", {"rw": "rw", "bs": "128k"}), "read": side(600.0, 131_072, 90.0),
                 "write": side(400.0, 131_072, 90.0)}
        [test] = self.converted(entry)["test"]
        self.assertEqual((test["columns"][1], test["figures"][0][1]), ("mb_per_s", 131.072))

    def test_the_time_of_the_hosts_processor(self):
        found = self.converted(job("d1", {"rw": "randread", "iodepth": "1"}),
                               job("d32", {"rw": "randread", "iodepth": "32"}, 50_000.0))
        values = found["values"]
        self.assertEqual(values["host.submit_time"]["is"], "5400ns")
        self.assertEqual(values["host.complete_time"]["is"], "8220ns", "68.1 % of 20 us, less 5.4")
        self.assertEqual(values["host.complete_time"]["figures"], ["my-drive/own/random-read-4k/32/iops"])

    def test_latencies_that_fio_did_not_take_are_left_out(self):
        entry = job("d1", {"rw": "randread"})
        del entry["read"]["clat_ns"]["percentile"]
        self.assertEqual(self.converted(entry)["test"][0]["columns"], ["depth", "iops", "mean_us"])
        del entry["read"]["clat_ns"], entry["read"]["slat_ns"]
        found = self.converted(entry)
        self.assertEqual(found["test"][0]["columns"], ["depth", "iops"])
        self.assertNotIn("values", found)

    def test_all_mistakes_come_at_once(self):
        found = "\n".join(self.mistakes(
            job("trim", {"rw": "randtrim"}), job("mix", {"rw": "rw", "rwmixread": "70", "rwmixwrite": "20"}), job("cached", {"rw": "read", "direct": "0"}),
            job("range", {"rw": "read", "bs": "4k,8k"}),
            {**job("broken", {"rw": "read"}), "error": 5}))
        for part in ("own.json: job trim: found rw=randtrim; allowed: read, write, rw, readwrite, randread, randwrite, randrw",
                     "job mix: found rwmixread=70 and rwmixwrite=20; allowed: one of them, or a sum of 100",
                     "job cached: found buffered requests", "job range: found bs=4k,8k",
                     "job broken: found error 5"):
            self.assertIn(part, found)
        self.assertIn("job b: found sequential-read-4k at depth 1 once more, as a",
                      self.mistakes(job("a", {"rw": "read"}), job("b", {"rw": "read"}))[0])
        self.assertIn("found no jobs", self.mistakes()[0])

    def test_what_is_no_result_of_fio(self):
        for text in ("", "nothing", "{}", "[1]"):
            (self.folder / "own.json").write_text(text)
            with self.assertRaisesRegex(UserError, "own.json: found no result of fio"):
                fio.campaign(self.folder / "own.json")


if __name__ == "__main__":
    unittest.main()
