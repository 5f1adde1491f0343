// SPDX-License-Identifier: Apache-2.0
//
// Every format: a hand-written piece with the requests worked out by hand, and malformed variants.
#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

TEST(Nbd, ExpandsContentIdentities) {
    const Lines expected{
        "0 W 0+24 ids=1,2,3",                // +3: three new identities, from 1
        "5000000 W 8+40 FUA ids=2,4,0,0,1",  // 5 us later; known, new, two zero blocks, known
        "6000000 W 80+12 ids=2,3",           // 12 sectors: a whole block and a fragment
        "7000000 W 0+16 ids=0,0",            // write zeroes
        "8000000 R 0+8",
        "8000000 T 64+4194304",
        "9000000 F",
    };
    EXPECT_EQ(requests_of("# t_us op lba512 nsect flags content\n"
                          "100 W 0 24 - +3\n"
                          "105 W 8 40 FUA 2,+,0*2,1\n"
                          "106 W 80 12 - 2-3\n"
                          "107 Z 0 16 M\n"
                          "108 R 0 8\n"
                          "108 T 64 4194304\n"
                          "109 F 0 0\n"),
              expected);
}

// Identities belong to the 4 KiB blocks of the device: there are (lba + sectors + 7) / 8 - lba / 8.
TEST(Nbd, FragmentsHaveIdentities) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"0 W 2097200 1024 - +128", "128 whole blocks"},
        {"0 W 2097202 1024 - +129",
         "6 sectors, 127 blocks, 2 sectors: (2098226 + 7) / 8 - 2097202 / 8 = 262279 - 262150"},
        {"0 W 2 14 - +2", "6 sectors and a block: unaligned at the beginning alone"},
        {"0 W 8 12 - +2", "a block and 4 sectors: unaligned at the end alone"},
        {"0 W 10 3 - +", "3 sectors within a block"},
        {"0 W 15 2 - +2", "one sector on either side of a boundary"},
        {"0 W 15 1 - +", "the last sector of a block"},
        {"0 W 15 10 - +3", "1 sector, a block, 1 sector"},
        {"0 Z 15 10 M", "zeros: 1 sector, a block, 1 sector"},
    };
    Lines lines;
    for (const auto& [text, meaning] : cases) {
        const Lines read = requests_of(text + "\n", with_format("nbd"));
        ASSERT_EQ(read.size(), 1U) << meaning;
        lines.push_back(read.front());
    }
    const auto ids = [](int count) {
        std::string text = " ids=1";
        for (int id = 2; id <= count; ++id) {
            text += "," + std::to_string(id);
        }
        return text;
    };
    EXPECT_EQ(lines, (Lines{"0 W 2097200+1024" + ids(128), "0 W 2097202+1024 first=6" + ids(129),
                            "0 W 2+14 first=6 ids=1,2", "0 W 8+12 ids=1,2", "0 W 10+3 first=6 ids=1",
                            "0 W 15+2 first=1 ids=1,2", "0 W 15+1 first=1 ids=1",
                            "0 W 15+10 first=1 ids=1,2,3", "0 W 15+10 first=1 ids=0,0,0"}));
}

// The XFS log: records that begin 2 sectors into a block, and are written again elsewhere and in other
// lengths.
TEST(Nbd, FragmentsSeenBefore) {
    EXPECT_EQ(requests_of("1158308 W 2097202 24 - +4\n"
                          "1158309 W 2098226 24 FUA 1-4\n"
                          "1158310 W 2097216 14 - +,1\n"
                          "1158311 W 2097202 6 - 1\n"),
              (Lines{"0 W 2097202+24 first=6 ids=1,2,3,4", "1000000 W 2098226+24 FUA first=6 ids=1,2,3,4",
                     "2000000 W 2097216+14 ids=5,1", "3000000 W 2097202+6 first=6 ids=1"}));
}

TEST(Nbd, OneIdentityTooFewOrTooMany) {
    const TraceOptions nbd = with_format("nbd");
    EXPECT_EQ(
        error_of("0 W 2097202 1024 - +128\n", nbd),
        "FILE:1: nbd: column 6: found '+128', expected 129 content identities, one per 4 KiB block touched");
    EXPECT_EQ(error_of("0 W 2097202 1024 - +130\n", nbd),
              "FILE:1: nbd: column 6: found '+130', expected at most 129 more content identities");
    EXPECT_EQ(error_of("0 W 2097200 1024 - +129\n", nbd),
              "FILE:1: nbd: column 6: found '+129', expected at most 128 more content identities");
    EXPECT_EQ(error_of("0 W 15 2 - +\n", nbd),
              "FILE:1: nbd: column 6: found '+', expected 2 content identities, one per 4 KiB block touched");
    EXPECT_EQ(error_of("0 W 15 2 - +2,0\n", nbd),
              "FILE:1: nbd: column 6: found '0', expected at most 0 more content identities");
    EXPECT_EQ(error_of("0 W 10 3 - +2\n", nbd),
              "FILE:1: nbd: column 6: found '+2', expected at most 1 more content identities");
    EXPECT_EQ(
        error_of("0 W 8 8 - 0*0\n", nbd),
        "FILE:1: nbd: column 6: found '0*0', expected 1 content identities, one per 4 KiB block touched");
}

TEST(Nbd, ReportsMistakesWithTheirPlace) {
    const std::string good = "1 W 0 16 - +2\n";
    EXPECT_EQ(error_of(good + "x W 0 8 - +\n"),
              "FILE:2: nbd: column 1: found 'x', expected a time in microseconds");
    EXPECT_EQ(error_of(good + "2 Q 0 8\n"),
              "FILE:2: nbd: column 2: found 'Q', expected an operation: R, W, T, Z or F");
    EXPECT_EQ(error_of(good + "2 R 0\n"), "FILE:2: nbd: column 4: found '', expected a length in sectors");
    EXPECT_EQ(error_of(good + "2 R 0 0\n"),
              "FILE:2: nbd: column 4: found '0', expected a length of at least one sector");
    EXPECT_EQ(error_of(good + "2 W 0 8 QUX +\n"),
              "FILE:2: nbd: column 5: found 'QUX', expected flags: -, FUA or M (zeroes that may be a trim)");
    EXPECT_EQ(error_of(good + "2 W 0 8 - 3\n"),
              "FILE:2: nbd: column 6: found '3', expected identities seen before, below 3 (a slice from the "
              "middle of a "
              "trace must "
              "be renumbered)");
    EXPECT_EQ(
        error_of(good + "2 W 0 24 - 1-2\n"),
        "FILE:2: nbd: column 6: found '1-2', expected 3 content identities, one per 4 KiB block touched");
    EXPECT_EQ(error_of(good + "2 W 0 8 - +2\n"),
              "FILE:2: nbd: column 6: found '+2', expected at most 1 more content identities");
    EXPECT_EQ(error_of(good + "2 W 0 8 - +99999999999999\n"),
              "FILE:2: nbd: column 6: found '+99999999999999', expected at most 1 more content identities");
    EXPECT_EQ(error_of(good + "2 R 0 8 - 1\n"),
              "FILE:2: nbd: column 6: found '1', expected no content but of a write");
    EXPECT_EQ(error_of(good + "2 R 281474976710656 8\n"),
              "FILE:2: nbd: column 4: found '281474976710656+8', expected a range of sectors below 2^48");
    EXPECT_EQ(error_of(good + "2 Z 0 8388609\n"),
              "FILE:2: nbd: column 4: found '8388609', expected a read or write of at most 4 GiB (8388608 "
              "sectors)");
    EXPECT_EQ(
        error_of("# comment\n\n" + good + "0 R 0 8\n"),
        "FILE:4: nbd: time goes back: found 0 ns, expected at least 1000 ns, the time of the request before");
}

TEST(Cmds, ReconstructsQueueDepthAndRanges) {
    // Outstanding: the first from 10 to 110 us, the second from 20 to 50, the third from 50 to 60, the fourth
    // from 55.
    const Lines found = requests_of(
        "0\to\t0\t0\t-1\tcmd=ec\t\n"
        "10\tR\t0\t8\t1\t\t100\n"
        "20\tW\t8\t16\t2\tFUA\t30\n"
        "50\tR\t24\t8\t2\t\t10\n"
        "55\tR\t32\t8\t3\t\t1000\n");
    EXPECT_EQ(found, (Lines{"0 R 0+8 qd=1", "10000000 W 8+16 FUA qd=2", "40000000 R 24+8 qd=2",
                            "45000000 R 32+8 qd=3"}));
    EXPECT_EQ(requests_of("7\tr\t0\t1\t-1\t\t\n"
                          "8\tw\t1\t1\t-1\t\t\n"
                          "9\tF\t0\t0\t-1\t\t\n"
                          "10\tT\t0\t0\t-1\tn=3:100+8,200+65535,300+0\t\n"),
              (Lines{"0 R 0+1 dma qd=1", "1000000 W 1+1 dma qd=1", "2000000 F qd=1",
                     "3000000 T 100+8,200+65535 qd=1"}))
        << "an empty range is ignored, as the standard says";
}

TEST(Cmds, ReportsMistakesWithTheirPlace) {
    const std::string good = "1\tR\t0\t8\t1\t\t10\n";
    EXPECT_EQ(error_of(good + "2\tX\t0\t8\t1\t\t10\n"),
              "FILE:2: cmds: column 2: found 'X', expected an operation: R, W, r, w, F, T or o");
    EXPECT_EQ(error_of(good + "2\tR\t0\t8\tq\t\t10\n"),
              "FILE:2: cmds: column 5: found 'q', expected a tag, or -1 for a command that is not queued");
    EXPECT_EQ(error_of(good + "2\tT\t0\t0\t-1\tn=2:1+8\t\n"),
              "FILE:2: cmds: column 6: found 'n=2:1+8', expected 2 ranges, not 1");
    EXPECT_EQ(
        error_of(good + "2\tT\t0\t0\t-1\t1+8\t\n"),
        "FILE:2: cmds: column 6: found '1+8', expected the ranges of the trim: n=<ranges>:lba+sectors,...");
    EXPECT_EQ(error_of(good + "2\tR\t0\t8\t1\tFUA\t10\n"),
              "FILE:2: cmds: column 6: found 'FUA', expected nothing, FUA (write) or n=ranges (trim)");
    EXPECT_EQ(
        error_of(good + "2\tR\t0\t8\t1\t\t10\t1\n"),
        "FILE:2: cmds: column 8: found '1', expected the end of the line: seven fields separated by tabs");
}

TEST(Spc, TakesSectorsBytesAndSeconds) {
    // The lines of the format's specification. Sizes become 4096 -> 8, 3072 -> 6 and 100 -> 1 sectors.
    EXPECT_EQ(requests_of("0,20941264,4096,W,0.551706\n"
                          "1, 20939840, 3072, r, 0.554041\n"
                          "0,5,100,R,2.0,extra\n"),
              (Lines{"0 W 20941264+8", "2335000000 R 20939840+6", "1448294000000 R 5+1"}));
    EXPECT_EQ(error_of("0,1,512,W,0\n0,1,512,X,1\n"),
              "FILE:2: spc: column 4: found 'X', expected an operation: R (read), W (write)");
    EXPECT_EQ(error_of("0,1,512,W,0\n0,1,512,W\n"),
              "FILE:2: spc: column 5: found '', expected a time in seconds");
}

TEST(FlashSim, CountsPages) {
    EXPECT_EQ(requests_of("26.214000\t0\t303574\t1\t0\n78.643\t0\t55596\t2\t1\n", with_format("flashsim")),
              (Lines{"0 W 303574+8", "52429000000 R 55596+16"}));
    EXPECT_EQ(error_of("1.0 0 8 1 2\n", with_format("flashsim")),
              "FILE:1: flashsim: column 5: found '2', expected an operation: 1 (read), 0 (write)");
}

TEST(DiskSim, TakesTabsAndBitZeroOfTheFlags) {
    EXPECT_EQ(
        requests_of("640.875000\t0\t\t522424\t16\t1\n 844.0  0 6342216 16  2 \n", with_format("disksim")),
        (Lines{"0 R 522424+16", "203125000000 W 6342216+16"}));
    EXPECT_EQ(error_of("1.0 0 8 1\n", with_format("disksim")),
              "FILE:1: disksim: column 5: found '', expected a line of 5 columns");
}

TEST(MsrCut, TakesBytes) {
    EXPECT_EQ(requests_of("0.000 0 200626176 4096 0\n223.412 0 3159347200 1536 1\n", with_format("msr_cut")),
              (Lines{"0 W 391848+8", "223412000000 R 6170600+3"}));
    EXPECT_EQ(error_of("0.0 0 100 512 0\n", with_format("msr_cut")),
              "FILE:1: msr_cut: column 3: found '100', expected bytes in multiples of 512");
}

TEST(Mqsim, ZeroIsAWriteAndTimeIsInNanoseconds) {
    EXPECT_EQ(requests_of("938513000 4 264719034 16 0\n938828000 3 197570570 32 1\n"),
              (Lines{"0 W 264719034+16", "315000000 R 197570570+32"}));
    EXPECT_EQ(error_of("1 0 8 8 0\n2.5 0 8 8 0\n", with_format("mqsim")),
              "FILE:2: mqsim: column 1: found '2.5', expected a whole number of nanoseconds");
}

TEST(Msr, TakesFiletimeAndBytesAndSortsNeighbours) {
    // Ticks of 100 ns; the third line is 10 us before the second. 700 bytes at 1000 touch sectors 1 to 3.
    EXPECT_EQ(requests_of("128166372003061629,hm,1,Read,383496192,32768,413\n"
                          "128166372003061829,hm,1,Write,1000,700,10\n"
                          "128166372003061729,hm,1,Read,0,512,10\n"),
              (Lines{"0 R 749016+64", "10000000 R 0+1", "20000000 W 1+3"}));
    EXPECT_EQ(error_of("1,hm,1,Read,0,512,413\n2,hm,1,Erase,0,512,1\n"),
              "FILE:2: msr: column 4: found 'Erase', expected an operation: Read (read), Write (write)");
    EXPECT_EQ(error_of("1,hm,1,Read,0,512,413\n2,hm,1,Read,0,512\n"),
              "FILE:2: msr: column 7: found '', expected a line of 7 columns");
}

TEST(Blkparse, TakesIssuesOnly) {
    EXPECT_EQ(requests_of("  8,16   3        4     0.000011950  3645  I   R 4938888 + 256 [java]\n"
                          "  8,16   3        5     0.000026421  3645  D   R 4938888 + 256 [java]\n"
                          "  8,16   3        7     0.001795683  3557  C   R 4938888 + 256 [0]\n"
                          "  8,16   3        8     0.001000000  3557  D  WS 100 + 8 [a b]\n"
                          "  8,16   3        9     0.002000000  3557  D  DS 64 + 1024 [fstrim]\n"
                          "  8,16   3       10     0.003000000  3557  D  FF 0 [kworker]\n"
                          "  8,16   3       11     0.004000000  3557  D  FWFS 200 + 16 [jbd2]\n"
                          "  8,16   3       12     0.005000000  3557  D   N 36 (12 00 00) [hald]\n"
                          "  8,16   3       13     0.006000000  3557  D  WFS 300 + 8 [x]\n"
                          "CPU0 (8,16):\n"
                          " Reads Queued:           0,        0KiB\n"),
              (Lines{"0 R 4938888+256", "973579000 W 100+8", "1973579000 T 64+1024", "2973579000 F",
                     "3973579000 F", "3973579000 W 200+16 FUA", "5973579000 W 300+8 FUA"}));
}

TEST(Blkparse, ReportsMistakesWithTheirPlace) {
    const std::string good = "8,16 3 5 0.000026421 3645 D R 8 + 8 [java]\n";
    EXPECT_EQ(error_of(good + "nonsense\n"),
              "FILE:2: blkparse: column 1: found 'nonsense', expected a device: major,minor");
    EXPECT_EQ(
        error_of(good + "8,16 3 5 0.1 3645 D 0 8 + 8 [java]\n"),
        "FILE:2: blkparse: column 7: found '0', expected an operation in capital letters: R, W, D, F or N, "
        "with modifiers");
    EXPECT_EQ(error_of("8,16 3 5 0.1 3645 Q R 8 + 8 [java]\n", with_format("blkparse")),
              "FILE: holds no requests at the action D, but 1 other events; see --action");
}

// Letters of blk_fill_rwbs() since zones and write zeroes are in it: a zone append is a write, other
// operations on zones move no data.
TEST(Blkparse, WritesZeroesAndWritesIntoZones) {
    EXPECT_EQ(requests_of("8,0 0 1 0.000 7 D WS 0 + 8 [x]\n"
                          "8,0 0 2 0.001 7 D WZS 64 + 16 [x]\n"
                          "8,0 0 3 0.002 7 D FWZF 12 + 8 [x]\n"
                          "8,0 0 4 0.003 7 D ZAS 128 + 8 [x]\n"
                          "8,0 0 5 0.004 7 D ZAF 136 + 8 [x]\n"
                          "8,0 0 6 0.005 7 D DE 200 + 8 [x]\n"),
              (Lines{"0 W 0+8", "1000000000 W 64+16 ids=0,0", "2000000000 F",
                     "2000000000 W 12+8 FUA first=4 ids=0,0", "3000000000 W 128+8", "4000000000 W 136+8 FUA",
                     "5000000000 T 200+8"}));
}

TEST(Blkparse, CountsWhatItSkips) {
    std::string text;
    const auto event = [&text](const std::string& rwbs) {
        text += "8,0 0 1 0.1 7 D " + rwbs + " 64 + 8 [x]\n";
    };
    for (const char* rwbs : {"W", "WZ", "WZS", "R", "ZR", "ZRA", "ZRS", "ZO", "ZC", "ZF", "FZF", "N"}) {
        event(rwbs);
    }
    for (const char* rwbs : {"X", "WQ", "RZ", "ZX", "Z", "WS", "WZQ"}) {
        event(rwbs);
    }
    const TempFile file(text);
    const TraceSummary summary = summarize({.path = file.path(), .format = {}});
    EXPECT_EQ(summary.writes, 4U) << "W, WZ, WZS, WS";
    EXPECT_EQ(summary.write_zeroes, 2U);
    EXPECT_EQ(summary.zero_bytes, 2 * 8 * 512U);
    EXPECT_EQ(summary.reads, 1U);
    EXPECT_EQ(summary.flushes, 1U) << "the flush before a zone is finished";
    EXPECT_EQ(summary.counts.skipped, 7U) << "ZR, ZRA, ZRS, ZO, ZC, ZF, N";
    EXPECT_EQ(summary.counts.unknown, 6U) << "X, WQ, RZ, ZX, Z, WZQ";
}

TEST(Blkparse, LateLinesAndClockJumpsAreFixed) {
    std::string text;
    const auto event = [&](const std::string& time, int lba) {
        text += "8,0 0 1 " + time + " 1 D R " + std::to_string(lba) + " + 8 [x]\n";
    };
    event("100.5", 1);
    event("100.25", 2);                // within the window: it is sorted
    event("1266874889.708658509", 3);  // 40 years ahead
    event("101", 4);
    EXPECT_EQ(requests_of(text),
              (Lines{"0 R 2+8", "250000000000 R 1+8", "750000000000 R 4+8", "750000000000 R 3+8"}));
    text.clear();
    for (int i = 0; i < 5000; ++i) {
        event(std::to_string(1000 + i), i);
    }
    event("1000", 9999);  // 4,999 s late: farther back than the window of 4,096 records
    TraceOptions options;
    const TempFile file(text);
    options.path = file.path();
    const auto source = open_trace(options);
    const Lines lines = read_all(*source);
    ASSERT_EQ(lines.size(), 5001U);
    EXPECT_EQ(source->counts().clamped, 1U);
    EXPECT_EQ(source->counts().reordered, 1U);
    // A record leaves when 4,096 more have been read, so the late one is read after 5,000 - 4,096 + 1 records
    // have left.
    EXPECT_EQ(lines[905], "904000000000000 R 9999+8");
    EXPECT_EQ(lines[904], "904000000000000 R 904+8");
}

TEST(Fio, VersionTwoWaits) {
    EXPECT_EQ(
        requests_of("fio version 2 iolog\n"
                    "/dev/sdb add\n"
                    "/dev/sdb open\n"
                    "/dev/sdb write 4096 8192\n"
                    "/dev/sdb wait 1500 0\n"
                    "/dev/sdb read 0 512\n"
                    "/dev/sdb wait 500\n"
                    "/dev/sdb trim 1048576 65536\n"
                    "/dev/sdb sync 0 0\n"
                    "/dev/sdb datasync 0 0\n"
                    "/dev/sdb close\n"),
        (Lines{"0 W 8+16", "1500000000 R 0+1", "2000000000 T 2048+128", "2000000000 F", "2000000000 F"}));
    EXPECT_EQ(error_of("fio version 2 iolog\nf add\nf jump 0 512\n"),
              "FILE:3: fio: column 2: found 'jump', expected an action: read, write, trim, sync, datasync, "
              "sync_file_range, wait (version 2), add, open or close");
    EXPECT_EQ(error_of("fio version 2 iolog\nf read 0 512\nf jump 0 512\n"),
              "FILE:3: fio: column 2: found 'jump', expected an action: read, write, trim, sync, datasync, "
              "sync_file_range, wait "
              "(version 2), add, open or close");
}

TEST(Fio, VersionThreeHasTimestamps) {
    EXPECT_EQ(requests_of("fio version 3 iolog\n"
                          "2 /dev/sdb add\n"
                          "872 /dev/sdb open\n"
                          "878 /dev/sdb write 0 16384\n"
                          "888 /dev/sdb read 512 1\n"
                          "900 /dev/sdb close\n"),
              (Lines{"0 W 0+32", "10000000 R 1+1"}))
        << "microseconds; one byte at 512 is sector 1";
}

/// A tar header in POSIX format: name, octal size, type, magic.
std::string tar_header(const std::string& size, char type) {
    std::string header(512, '\0');
    header.replace(0, 4, "name");
    header.replace(124, 11, size);
    header[156] = type;
    header.replace(257, 5, "ustar");
    return header;
}

std::string padded(std::string data) {
    data.resize((data.size() + 511) / 512 * 512, '\0');
    return data;
}

TEST(Fiu, HashesBecomeIdentities) {
    const std::string lines =
        "89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"
        "89966527950584 4253 a b c 16 8 R 6 0 88b93b628d84082186026d9da044f173\n"
        "89966527950584 4253 nfsd 24 8 W 6 0 620f0b67a91f7f74151bc5be745b7110\n"
        "89966527950585 4253 nfsd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n";
    const std::string id = std::to_string(0xd6c75ba46e82326f);
    const Lines expected{"0 W 18579576+8 ids=" + id, "4980861000 R 16+8", "4980861000 W 24+8 ids=0",
                         "4980862000 W 18579576+8 ids=" + id};
    EXPECT_EQ(requests_of(lines), expected);

    // A tar archive with an extended header (two lines) and then two members with half of the lines each.
    const std::string first = lines.substr(0, lines.find("8996652795058", 90));
    const std::string second = lines.substr(first.size());
    const auto octal = [](std::size_t bytes) {
        std::string digits(11, '0');
        for (std::size_t at = 11; at-- > 0; bytes /= 8) {
            digits[at] = static_cast<char>('0' + bytes % 8);
        }
        return digits;
    };
    const std::string archive =
        tar_header("00000000004", 'x') + padded("1\n2\n") + tar_header(octal(first.size()), '0') +
        padded(first) + tar_header(octal(second.size()), '0') + padded(second) + std::string(1024, '\0');
    EXPECT_EQ(requests_of(archive), expected);
    EXPECT_EQ(error_of(tar_header("00000000004", 'x') + padded("1\n2\n") + tar_header(octal(1000), '0') +
                       lines + "1 1 x 8 8 W 6 0 d6c7\n"),
              "FILE:7: fiu: column 9: found 'd6c7', expected an MD5 of 32 hexadecimal digits")
        << "lines are counted as in the unpacked file";
}

std::string vscsi_record(std::uint32_t bytes, std::uint16_t opcode, std::uint64_t lba, std::uint64_t time_us,
                         char version = 1) {
    std::string record;
    const auto put = [&](std::uint64_t value, int size) {
        for (int i = 0; i < size; ++i) {
            record += static_cast<char>(value >> 8 * i & 0xff);
        }
    };
    put(1, 4);
    put(bytes, 4);
    put(1, 4);
    put(opcode, 2);
    record += '\0';
    record += version;
    put(lba, 8);
    put(time_us, 8);
    return record;
}

TEST(Vscsi, TakesBinaryRecords) {
    const std::string trace = vscsi_record(4096, 0x2a, 0x28f1a09, 1'000'000) +
                              vscsi_record(512, 0x28, 7, 1'000'005) + vscsi_record(24, 0x42, 0, 1'000'006) +
                              vscsi_record(0, 0x35, 0, 1'000'007) +
                              vscsi_record(65536, 0x88, std::uint64_t{1} << 33, 1'000'008);
    EXPECT_EQ(requests_of(trace),
              (Lines{"0 W 42932745+8", "5000000 R 7+1", "7000000 F", "8000000 R 8589934592+128"}));
    EXPECT_EQ(error_of(trace + "cut off"),
              "FILE: vscsi: record 6 (byte 160): found '7 bytes', expected a record of 32 bytes: the file is "
              "truncated");
    EXPECT_EQ(error_of(trace + vscsi_record(512, 0x28, 7, 1, 2)),
              "FILE: vscsi: record 6 (byte 160): version: found '2', expected 1 or 2, the version of "
              "vscsiStats, the same in "
              "all records");
}

std::string vscsi2_record(std::uint32_t bytes, std::uint16_t opcode, std::uint64_t lba,
                          std::uint64_t time_us) {
    const std::string one = vscsi_record(bytes, opcode, lba, time_us, 2);
    return one.substr(12, 4) + one.substr(0, 12) + one.substr(16) + std::string(8, '\7');
}

TEST(Vscsi, TakesVersionTwo) {
    const std::string trace =
        vscsi2_record(4096, 0x2a, 2048, 1'000'000) + vscsi2_record(512, 0x28, 7, 1'000'005);
    EXPECT_EQ(requests_of(trace), (Lines{"0 W 2048+8", "5000000 R 7+1"}));
    EXPECT_EQ(error_of(trace + vscsi_record(512, 0x28, 7, 1) + std::string(8, '\0')),
              "FILE: vscsi: record 3 (byte 80): version: found '0', expected 1 or 2, the version of "
              "vscsiStats, the "
              "same in all records");
}

TEST(Nexus5, ArrivesWhenGeneratedAndMayBeOutOfOrder) {
    EXPECT_EQ(
        requests_of("8681184\t\t88\t\t45056\t\t0\t\t1398403999.646690157\t\t1398403999.7\t\t1.0\t\t2.0\n"
                    "8681520 40 20480 5 1398404000.646690157 1 2 3\n"
                    "8681568 8 4096 4 1398404000.146690157 1 2 3\n"),
        (Lines{"0 R 8681184+88", "500000000000 R 8681568+8", "1000000000000 W 8681520+40"}));
    EXPECT_EQ(
        error_of("8 8 4096 0 1 1 1 1\n8 8 512 0 1 1 1 1\n"),
        "FILE:2: nexus5: column 3: found '512', expected the length given earlier in the line, 4096 bytes");
}

TEST(Format, UnknownNameListsThemAndTheNearest) {
    EXPECT_EQ(error_of("x", with_format("disksym")),
              "--format: found 'disksym', expected one of " + format_names() +
                  ", or columns:... (traces/README.md); did you mean disksim?");
}

}  // namespace
}  // namespace solidtlm::testbench
