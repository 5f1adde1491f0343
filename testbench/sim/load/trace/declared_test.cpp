// SPDX-License-Identifier: Apache-2.0
//
// Formats that are declared in a line: hand-written pieces, recognised by their contents, with the requests
// worked out by hand.
#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

/// The detected format, and the requests.
Lines read_as(std::string_view contents, TraceOptions options = {}) {
    const TempFile file(contents);
    options.path = file.path();
    const auto source = open_trace(options);
    Lines lines = read_all(*source);
    lines.insert(lines.begin(), source->account().format);
    return lines;
}

TEST(Declared, Alibaba) {
    // 126703644672 / 512 = 247468056; 10 us between the first two.
    EXPECT_EQ(read_as("419,W,126703644672,4096,1577808000000046\n"
                      "725,R,1024,700,1577808000000056\n"
                      "419,R,0,512,1577808000000056\n"),
              (Lines{"alibaba", "0 W 247468056+8", "10000000 R 2+2", "10000000 R 0+1"}));
    TraceOptions one;
    one.selection.device = "725";
    EXPECT_EQ(read_as("419,W,126703644672,4096,1577808000000046\n725,R,1024,700,1577808000000056\n", one),
              (Lines{"alibaba", "0 R 2+2"}));
}

TEST(Declared, Tencent) {
    EXPECT_EQ(read_as("1538323199,30328392,144,1,1063\n1538323200,0,8,0,1283\n"),
              (Lines{"tencent", "0 W 30328392+144", "1000000000000 R 0+8"}));
}

TEST(Declared, Systor17) {
    // Without an answer, the operation is unknown: the line is skipped. 152433446912 / 512 = 297721576.
    const std::string text =
        "Timestamp,Response,IOType,LUN,Offset,Size\n"
        "1456135200.013118000,0.000280000,W,4,152433446912,4096\n"
        "1456135200.013128000,,,4,152433446912,4096\n"
        "1456135200.013218000,0.000280000,R,0,512,512\n";
    EXPECT_EQ(read_as(text), (Lines{"systor17", "0 W 297721576+8", "100000000 R 1+1"}));
    const TempFile file(text);
    const TraceSummary summary = summarize({.path = file.path(), .format = {}});
    EXPECT_EQ(summary.counts.skipped, 1U);
    EXPECT_EQ(summary.counts.passed, 1U) << "the heading";
}

TEST(Declared, Biosnoop) {
    // Times are the ends of requests: 1 ms - 0.5 ms, 3 ms - 2.75 ms, 4 ms - 1 ms. A process name contains
    // blanks.
    EXPECT_EQ(read_as("TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)\n"
                      "0.001000    kworker/0:1H   123     sda       W 2048       4096       0.500\n"
                      "0.003000    Web Content    99      sda       R 8          512        2.750\n"
                      "0.004000    jbd2/sda1-8    7       sdb       W 16         1024       1.000\n"),
              (Lines{"biosnoop", "0 R 8+1", "250000000 W 2048+8", "2750000000 W 16+2"}));
    // With the additional column of option -Q, and with flushes and discards as libbpf-tools print them.
    EXPECT_EQ(read_as("TIME(s)     COMM    PID    DISK  T    SECTOR  BYTES   QUE(ms) LAT(ms)\n"
                      "0.001       x       1      vda   FF   0       0       0.001   0.500\n"
                      "0.002       x       1      vda   DS   64      8192    0.001   0.500\n"),
              (Lines{"biosnoop", "0 F", "1000000000 T 64+16"}));
}

TEST(Declared, Bpftrace) {
    EXPECT_EQ(read_as("Attaching 1 probe...\n"
                      "1000500 8,0 WS 2048 8\n"
                      "1002500 8,0 FF 0 0\n"
                      "1003500 8,0 R 0 16\n"),
              (Lines{"bpftrace", "0 W 2048+8", "2000000 F", "3000000 R 0+16"}));
}

TEST(Declared, Ftrace) {
    EXPECT_EQ(
        read_as("# tracer: nop\n#\n"
                "    kworker/0:1H-123   [000] .... 10.000100: block_rq_insert: 8,0 W 4096 () 2048 + 8 [k]\n"
                "    kworker/0:1H-123   [000] .... 10.000150: block_rq_issue: 8,0 W 4096 () 2048 + 8 [k]\n"
                "     Web Content-99    [001] d..1 10.000160: block_rq_issue: 8,16 RA 8192 () 64 + 16 [W C]\n"
                "     jbd2/sda1-8-7     [001] d..1 10.000170: block_rq_issue: 8,0 FF 0 () 0 + 0 [j]\n"
                "     hald-7            [001] d..1 10.000180: block_rq_issue: 8,0 N 36 (12 00 00) 0 + 0 [h]\n"
                "     x-7 [001] d..1 10.000190: block_rq_issue: 8,0 WFS 4096 () 8 + 8 none,0,0 [x]\n"
                "    kworker/0:1H-123   [000] .... 10.000250: block_rq_complete: 8,0 W () 2048 + 8 [0]\n"),
        (Lines{"ftrace", "0 W 2048+8", "10000000 R 64+16", "20000000 F", "40000000 W 8+8 FUA"}));
    // Output of perf script.
    EXPECT_EQ(
        read_as(
            "fio  6439 [001]  3399.871612:       block:block_rq_issue: 259,0 R 4096 () 429974552 + 8 [fio]\n"
            "fio  6439 [001]  3399.871622:       block:block_rq_issue: 259,0 D 8192 () 16 + 16 [fio]\n"),
        (Lines{"ftrace", "0 R 429974552+8", "10000000 T 16+16"}));
}

// The events of a kernel that knows zones and write zeroes.
TEST(Declared, FtraceWithZones) {
    const std::string text =
        "   w-77   [002] ..... 50.000000: block_rq_issue: 259,3 WS 4096 () 0 + 8 none,0,0 [w]\n"
        "   w-77   [002] ..... 50.001000: block_rq_issue: 259,3 ZR 0 () 524288 + 8 none,0,0 [w]\n"
        "   w-77   [002] ..... 50.002000: block_rq_issue: 259,3 ZAS 4096 () 1024 + 8 none,0,0 [w]\n"
        "   w-77   [002] ..... 50.003000: block_rq_issue: 259,3 WZS 4096 () 16 + 8 none,0,0 [w]\n";
    EXPECT_EQ(read_as(text), (Lines{"ftrace", "0 W 0+8", "2000000000 W 1024+8", "3000000000 W 16+8 ids=0"}));
}

TEST(Declared, FtraceOfDevicesThatOnlyPassRequestsOn) {
    const std::string bio =
        "   w-77   [003] ..... 50.000000: block_bio_queue: 253,0 WS 0 + 8 [w]\n"
        "   w-77   [003] ..... 50.000100: block_bio_queue: 253,0 FWS 0 + 0 [w]\n";
    EXPECT_EQ(read_as(bio), (Lines{"ftrace_bio", "0 W 0+8", "100000000 F"}));
    EXPECT_EQ(read_as(bio + "   w-77   [003] ..... 50.000200: block_rq_issue: 8,0 R 4096 () 8 + 8 [w]\n"),
              (Lines{"ftrace", "0 R 8+8"}))
        << "a request of the drive counts, not what was queued above it";
}

// trace_clock boot or mono_raw: nanoseconds.
TEST(Declared, FtraceInNanoseconds) {
    EXPECT_EQ(read_as("   w-77   [003] ..... 5000000000: block_rq_issue: 8,0 R 4096 () 0 + 8 [w]\n"
                      "   w-77   [003] ..... 5000100000: block_rq_issue: 8,0 W 4096 () 8 + 8 [w]\n"),
              (Lines{"ftrace_ns", "0 R 0+8", "100000000 W 8+8"}));
    EXPECT_EQ(error_of("   w-77   [003] ..... 5: block_rq_issue: 8,0 R 4096 () 0 + 8 [w]\n"
                       "   w-77   [003] ..... 6: block_rq_issue: 8,0 W 4096 () 8 + 8 [w]\n"),
              "FILE: is no trace that is recognised by its content: ftrace reads its lines, but needs times "
              "with a decimal point; ftrace_ns reads its lines, but needs times that are 100 ns apart on "
              "average. If it is a trace, say its format with --format, or its columns (traces/README.md)")
        << "a clock that counts events";
}

// Commands of the NVMe driver: lengths count from 0; a DATASET MANAGEMENT tells no ranges.
TEST(Declared, NvmeSetupCommand) {
    const auto line = [](const std::string& time, const std::string& command) {
        return "   w-77   [003] ..... " + time +
               ": nvme_setup_cmd: nvme0: disk=nvme0n1, qid=2, cmdid=64, nsid=1, flags=0x0, meta=0x0, cmd=(" +
               command + ")\n";
    };
    const std::string data = ", ctrl=0x0, dsmgmt=0, reftag=0";
    const std::string text =
        line("50.0000", "nvme_cmd_write slba=0, len=7" + data) +
        line("50.0001", "nvme_cmd_read slba=8, len=0" + data) +
        line("50.0002", "nvme_cmd_dsm nr=0, attributes=4") +
        line("50.0003", "nvme_cmd_flush cdw10=00 00 00 00") +
        line("50.0004", "nvme_cmd_write_zeroes slba=16, len=7" + data) +
        "   w-77   [003] ..... 50.0005: nvme_setup_cmd: nvme0: qid=0, cmdid=8, nsid=0, flags=0x0, meta=0x0, "
        "cmd=(nvme_admin_identify cns=1, ctrlid=0)\n"
        "   w-77   [003] ..... 50.0006: nvme_complete_rq: nvme0: disk=nvme0n1, qid=2, cmdid=64, res=0x0\n";
    EXPECT_EQ(read_as(text), (Lines{"nvme_setup_cmd", "0 W 0+8", "100000000 R 8+1", "300000000 F",
                                    "400000000 W 16+8 ids=0"}));
    const TempFile file(text);
    const TraceSummary summary = summarize({.path = file.path(), .format = {}});
    EXPECT_EQ(summary.counts.skipped, 1U) << "the DATASET MANAGEMENT";
    EXPECT_EQ(summary.counts.passed, 2U) << "IDENTIFY and the completion";
    EXPECT_EQ(summary.devices.front().name, "nvme0n1");
    EXPECT_EQ(error_of(text + line("50.0009", "nvme_cmd_read slba=x, len=0" + data)),
              "FILE:8: nvme_setup_cmd: column 14: found 'x', expected an address in sectors");
}

TEST(Declared, Blkreplay) {
    EXPECT_EQ(read_as("Copyright of the recording\n"
                      "start ; sector; length ; op ;  replay_delay ; replay_duration\n"
                      "   0.000000000 ;  12345672 ;     8 ; R ;  0.000000000 ;  0.000000000\n"
                      "   0.250000000 ;         0 ;    16 ; W ;  0.000000000 ;  0.000000000\n"),
              (Lines{"blkreplay", "0 R 12345672+8", "250000000000 W 0+16"}));
}

TEST(Declared, MsrWithAnyHeadingAndCase) {
    EXPECT_EQ(read_as("\"timestamp\",\"hostname\",\"disk\",\"type\",\"offset\",\"size\",\"response\"\n"
                      "128166372003061629,hm,1,READ,512,512,413\n"
                      "128166372003061639,hm,1,write,0,1024,413\n"),
              (Lines{"msr", "0 R 1+1", "1000000 W 0+2"}));
}

TEST(Declared, VscsiAsText) {
    // 2a and 28 are WRITE and READ (10), 35 SYNCHRONIZE CACHE, 42 UNMAP.
    EXPECT_EQ(read_as("1 1000 2a 4096 2048\n1 1005 28 512 7\n1 1006 42 24 0\n1 1007 35 0 0\n"),
              (Lines{"vscsi_text", "0 W 2048+8", "5000000 R 7+1", "7000000 F"}));
    EXPECT_EQ(read_as("2 1000 2a 4096 2048 350\n2 1005 28 512 7 90\n"),
              (Lines{"vscsi_text", "0 W 2048+8", "5000000 R 7+1"}));
    EXPECT_EQ(read_as("Write 0.5 2048 8\nRead 0.75 7 1\n"),
              (Lines{"vscsi_rw", "0 W 2048+8", "250000000000 R 7+1"}));
}

TEST(Declared, DiskSimForValidation) {
    // The last column is the time until the next request: requests at 0, 1500 and 1750 us.
    EXPECT_EQ(read_as("R Miss 1000 8 12500.0 1500.000000\nW Hit 8 16 300.5 250\nR Miss 64 8 1.0 0\n"),
              (Lines{"disksim_validate", "0 R 1000+8", "1500000000 W 8+16", "1750000000 R 64+8"}));
}

TEST(Declared, Etw) {
    // Requests that ended at 5,129 us after 413 us, at 6,000 after 500, at 7,000 after 100. 0xf000 / 512 =
    // 120.
    const std::string text =
        "BeginHeader\n"
        "   DiskRead,  TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, "
        "DiskNum, IrpFlags\n"
        "  DiskWrite,  TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, "
        "DiskNum, IrpFlags\n"
        "DiskReadInit, TimeStamp, Process Name ( PID), ThreadID, IrpPtr\n"
        "  DiskFlush,  TimeStamp, Process Name ( PID), ThreadID, IrpPtr,             ElapsedTime, DiskNum\n"
        "EndHeader\n"
        "OS Version: 6.0.6001\n"
        "DiskReadInit, 4716, System (   4), 96, 0xfffffa80\n"
        "   DiskRead,  5129, System (   4), 96, 0xfffffa80, 0x000000f000, 0x00001000, 413, 0, 0x060043\n"
        "  DiskWrite,  6000, svc, host (900), 96, 0x1\n"
        "  DiskWrite,  6000, svchost (900), 96, 0x1, 0x0000000200, 0x00000400, 500, 1, 0x060043\n"
        "  DiskFlush,  7000, svchost (900), 96, 0x1, 100, 1\n";
    std::string sound = text;
    const std::string odd = "  DiskWrite,  6000, svc, host (900), 96, 0x1\n";
    sound.erase(sound.find(odd), odd.size());
    EXPECT_EQ(read_as(sound), (Lines{"etw", "0 R 120+8", "784000000 W 1+2", "2184000000 F"}));
    EXPECT_EQ(error_of(text), "FILE:10: etw: column 7: found '', expected the 10 columns of the heading");
    TraceOptions one;
    one.selection.device = "0";
    EXPECT_EQ(read_as(sound, one), (Lines{"etw", "0 R 120+8"}));
}

TEST(Declared, ColumnsOfTheUser) {
    // The example of --help: us, device, op, bytes.
    EXPECT_EQ(requests_of("10,0,Read,512,512\n20,1,w,1024,700\n",
                          with_format("columns:time=1:us op=3{R,Read} offset=4:B size=5:B device=2 sep=,")),
              (Lines{"0 R 1+1", "10000000 W 2+2"}))
        << "any word that is not one of a read is a write";
    EXPECT_EQ(requests_of("when|what|page|pages\n1.5|erase|2|1\n2|get|1|2\n2.5|sync|0|0\n3|stat|0|0\n",
                          with_format("columns:time=when:ms op=what{get;put;erase;sync;stat} "
                                      "offset=page:pages size=pages:KiB sep=|")),
              (Lines{"0 T 16+2", "500000000 R 8+4", "1000000000 F"}))
        << "columns by their headings";
    EXPECT_EQ(
        requests_of("x 5 0 8 R\n\ny 2 8 8 W\n", with_format("columns:op=5{R;W} after=2:ns offset=3:sectors "
                                                            "size=4:sectors device=1 ordered")),
        (Lines{"0 R 0+8", "5000 W 8+8"}));
}

TEST(Declared, FieldsInQuotes) {
    EXPECT_EQ(read_as("\"128166372000000000\",\"hm\",\"0\",\"Write\",\"0\",\"4096\",\"900\"\n"
                      "\"128166372000010000\",\"hm, old\",\"0\",\"Read\",\"4096\",\"512\",\"901\"\n"),
              (Lines{"msr", "0 W 0+8", "1000000000 R 8+1"}));
    const std::string odd = "\"1\",\"a, b\",\"0\",\"Write\",\"x\",\"4096\",\"900\"\n";
    EXPECT_EQ(error_of(odd, with_format("msr")),
              "FILE:1: msr: column 5: found 'x', expected an address in bytes")
        << "separators in quotes do not count";
    EXPECT_EQ(requests_of("1\t\t\"R\"\t8\t 8\n2\t\"\"\tW\t16\t8\n",
                          with_format("columns:time=1:us op=3{R;W} offset=4:sectors size=5:sectors sep=tab")),
              (Lines{"0 R 8+8", "1000000 W 16+8"}))
        << "empty fields between tabs";
    EXPECT_EQ(error_of("1,R,\"8,8\n", with_format("columns:time=1:us op=2{R} offset=3:B size=4:B sep=,")),
              "FILE:1: columns: column 3: found '\"8', expected an address in bytes")
        << "no quote at the end";
}

// 3:04:59.9 on New Year's Eve in a zone one hour ahead is 2:04:59.9 UTC.
TEST(Declared, WallClockTimes) {
    const TraceOptions commas = with_format("columns:time=1:date op=2{R;W} offset=3:B size=4:B sep=,");
    EXPECT_EQ(requests_of("2025-12-31 23:59:59.9,W,0,512\n2026-01-01T00:00:00.25Z,R,512,512\n"
                          "2026/01/01 01:00:01+01:00,R,0,512\n",
                          commas),
              (Lines{"0 W 0+1", "350000000000 R 1+1", "1100000000000 R 0+1"}));
    EXPECT_EQ(requests_of("W 2024-02-28 23:59:59 0 8\nR 2024-02-29 00:00:00.000001 8 8\n",
                          with_format("columns:time=2:date op=1{R;W} offset=4:sectors size=5:sectors")),
              (Lines{"0 W 0+8", "1000001000000 R 8+8"}))
        << "between blanks, date and time of day are two columns";
    for (const char* wrong :
         {"2025-02-29 00:00:00", "2025-13-01 00:00:00", "2025-01-01", "2025-01-01 24:00:00",
          "2025-01-01 00:60:00", "2025-01-01 00:00:61", "2025-01-01 00:00:00 CET", "x", "1969-12-31 23:59:59",
          "2025-01-01 00:00:00+25:00"}) {
        EXPECT_EQ(error_of(std::string(wrong) + ",W,0,512\n", commas),
                  "FILE:1: columns: column 1: found '" + std::string(wrong) +
                      "', expected a date and time, as 2026-01-02 03:04:05.6");
    }
    EXPECT_EQ(error_of("1\n", with_format("columns:after=1:date op=2{R} offset=3:B size=4:B")),
              "--format columns: the declaration: found 'date', expected a date for time= alone");
}

TEST(Declared, ValuesBehindTheirKeys) {
    const TraceOptions options =
        with_format("columns:time=t=:us op=op={R;W;;;;Z} offset=lba=:sectors size=n=:sectors+1 device=dev=");
    EXPECT_EQ(requests_of("xlba=9 lba=8, t=10; (op=R) n=0 dev=a\nop=Z n=7 lba=16 t=11 dev=b\n", options),
              (Lines{"0 R 8+1", "1000000 W 16+8 ids=0"}))
        << "in any order; xlba is another key";
    EXPECT_EQ(error_of("t=10 op=R n=0\n", options),
              "FILE:1: columns: column 4: found '', expected an address in sectors");
    EXPECT_EQ(error_of("t=10 op=R lba=1 n=18446744073709551615\n", options),
              "FILE:1: columns: column 4: found '18446744073709551615', expected a length in sectors");
    EXPECT_EQ(error_of("1\n", with_format("columns:time=1:us+1 op=2{R} offset=3:B size=4:B+x")),
              "--format columns: size: found 'B+x', expected a unit after a colon: B, sectors, KiB, pages");
    EXPECT_EQ(
        error_of("1\n", with_format("columns:time=1:us+1 op=2{R} offset=3:B size=4:B")),
        "--format columns: the declaration: found '+', expected an amount to add for offset=, size= and "
        "again= alone");
}

TEST(Declared, MistakesInADeclarationComeTogether) {
    EXPECT_EQ(
        error_of("1\n", with_format("columns:tme=1:us op=2 offset=3:MB size=0:B sep=semicolon")),
        "--format columns: an item: found 'tme=1:us', expected one of action, after, again, at, columns, "
        "device, evidence, ignore, is, latency, number, offset, op, ordered, range, sep, size, time, whole, "
        "wide; did "
        "you mean time?\n"
        "--format columns: op: found '', expected words in braces, as {R,Read;W,Write}\n"
        "--format columns: offset: found 'MB', expected a unit after a colon: B, sectors, KiB, pages\n"
        "--format columns: size: found '0', expected a column's number from 1 to 64, its heading, or key= "
        "for a value in the line\n"
        "--format columns: sep: found 'semicolon', expected a character, tab or blank");
    EXPECT_EQ(error_of("1\n", with_format("columns:op=2{R}")),
              "--format columns: the declaration: found '', expected either time= or after=");
    EXPECT_EQ(error_of("1\n", with_format("columns:time=1:s op=2{R}")),
              "--format columns: the declaration: found '', expected items offset= and size=");
}

TEST(Blkparse, DistinguishesSeveralActions) {
    const std::string text =
        "254,0 0 1 0.000001 10 Q WS 64 + 8 [x]\n"
        "254,0 0 2 0.000002 10 G WS 64 + 8 [x]\n"
        "254,0 0 3 0.000011 10 Q R 8 + 8 [x]\n"
        "254,0 0 4 0.000021 0 C WS 64 + 8 [0]\n";
    EXPECT_EQ(error_of(text), "FILE: holds no requests at the action D, but 4 other events; see --action");
    TraceOptions options;
    options.selection.action = "Q";
    EXPECT_EQ(read_as(text, options), (Lines{"blkparse", "0 W 64+8", "10000000 R 8+8"}));
    options.selection.action = "C";
    EXPECT_EQ(read_as(text, options), (Lines{"blkparse", "0 W 64+8"}));
    EXPECT_EQ(error_of("1 R 0 8\n", options),
              "FILE: found an action to select ('C'), but traces in the format nbd have each request once");
}

}  // namespace
}  // namespace solidtlm::testbench
