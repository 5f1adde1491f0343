// SPDX-License-Identifier: Apache-2.0
//
// The rules of finding shared pages again (docs/dedup.md, "What a power cut leaves"), each worked out by
// hand. Superpages hold four units; `at(superblock, page, unit)` is a place.
#include <gtest/gtest.h>

#include "fw/dedup/share_records.h"
#include "fw/testing/scan_bench.h"

namespace solidtlm::fw::testing {
namespace {

const VirtualBlock kFirstShared{3};
const VirtualBlock kSecondShared{5};
const Ppa kFirstEntry = entry_of(kFirstShared);

struct SharedScan : public ::testing::Test {
    void lay(std::uint32_t superblock, std::uint32_t page, std::uint64_t sequence,
             const std::vector<Lpn>& names) {
        ScanBench::Names all;
        all.fill(kNoLpn);
        std::copy(names.begin(), names.end(), all.begin());
        bench.program(SuperpageAddress{Pu{0}, Superblock{superblock}, page}, sequence, all);
    }
    [[nodiscard]] Ppa at(std::uint32_t superblock, std::uint32_t page, std::uint32_t unit) const {
        return bench.layout.ppa(SuperpageAddress{Pu{0}, Superblock{superblock}, page}, unit);
    }
    void boot(const LogContent& log, std::uint64_t since = 0) {
        entries.clear();
        bench.boot(log, since, [this](const MediaScan& scan) {
            for (std::uint32_t lpn = 0; lpn < bench.layout.exported_units(); ++lpn) {
                entries.push_back(scan.newest(Lpn{lpn}));
            }
        });
    }
    void boot_with(std::vector<LogRecord> records) {
        LogContent log;
        log.records = std::move(records);
        boot(log);
    }
    /// An empty checkpoint.
    [[nodiscard]] LogContent checkpoint(std::uint64_t sequence) const {
        LogContent log;
        log.checkpoint = sequence;
        log.entries.assign(bench.layout.exported_units(), kUnmapped.value);
        log.table.assign(bench.config.dedup.shared_pages(), kUnmapped.value);
        return log;
    }
    void expect_shared(VirtualBlock block, Ppa place) const {
        ASSERT_EQ(shared.size(), 1U);
        EXPECT_EQ(shared[0].block, block);
        EXPECT_EQ(shared[0].place, place);
    }

    ScanBench bench{shared_config(8)};
    std::vector<Ppa> entries;
    const std::vector<FoundShared>& shared = bench.shared;
};

TEST_F(SharedScan, WithoutRecordsEveryPageIsItsOwn) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({});
    EXPECT_EQ(entries[10], at(0, 0, 0));
    EXPECT_EQ(entries[11], at(0, 0, 1));
    EXPECT_TRUE(shared.empty());
}

TEST_F(SharedScan, AReferenceToABlockLeadsToItsPlace) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{11}, kFirstShared, 4), refer_record(Lpn{12}, kFirstShared, 5)});
    EXPECT_EQ(entries[10], kFirstEntry);
    EXPECT_EQ(entries[11], kFirstEntry) << "its own page is older";
    EXPECT_EQ(entries[12], kFirstEntry) << "never programmed";
    expect_shared(kFirstShared, at(0, 0, 0));
}

TEST_F(SharedScan, AShareRecordAloneChangesNothing) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2)});
    EXPECT_EQ(entries[10], at(0, 0, 0));
    EXPECT_TRUE(shared.empty());
}

TEST_F(SharedScan, APageWhoseNewestCopyIsSharedRefersToItEvenWithoutARecord) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{11}, kFirstShared, 3)});
    EXPECT_EQ(entries[10], kFirstEntry) << "else one unit would be valid twice";
    expect_shared(kFirstShared, at(0, 0, 0));
}

TEST_F(SharedScan, ALaterWriteIsNewer) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    lay(0, 1, 5, {Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{11}, kFirstShared, 4)});
    EXPECT_EQ(entries[10], kFirstEntry);
    EXPECT_EQ(entries[11], at(0, 1, 0));
}

TEST_F(SharedScan, ALaterReferenceIsNewer) {
    lay(0, 0, 1, {Lpn{10}});
    lay(0, 1, 2, {Lpn{11}});
    lay(0, 2, 3, {Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 4), refer_record(Lpn{10}, kFirstShared, 5),
               refer_record(Lpn{11}, kFirstShared, 6)});
    EXPECT_EQ(entries[11], kFirstEntry);
}

TEST_F(SharedScan, OfTwoReferencesTheLaterCounts) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{12}, kFirstShared, 4), share_record(kSecondShared, at(0, 0, 1), 5),
               refer_record(Lpn{11}, kSecondShared, 6), refer_record(Lpn{12}, kSecondShared, 7)});
    EXPECT_EQ(entries[12], entry_of(kSecondShared));
    EXPECT_EQ(shared.size(), 2U);
}

TEST_F(SharedScan, ATrimEndsReferencesBeforeItAndNoneAfterIt) {
    lay(0, 0, 1, {Lpn{10}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{11}, kFirstShared, 4), trim_record(Lpn{10}, 2, 5),
               refer_record(Lpn{11}, kFirstShared, 6), refer_record(Lpn{12}, kFirstShared, 7)});
    EXPECT_EQ(entries[10], kUnmapped) << "the page that carries its number is shared by others";
    EXPECT_EQ(entries[11], kFirstEntry);
    EXPECT_EQ(entries[12], kFirstEntry);
    expect_shared(kFirstShared, at(0, 0, 0));
}

TEST_F(SharedScan, ABlockThatWasMovedLiesWhereItsNameIsNewest) {
    lay(0, 0, 1, {Lpn{10}});
    lay(1, 0, 5, {name_of(kFirstShared)});
    lay(1, 1, 6, {Lpn{20}, name_of(kFirstShared)});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{11}, kFirstShared, 4)});
    EXPECT_EQ(entries[10], kFirstEntry);
    EXPECT_EQ(entries[11], kFirstEntry);
    expect_shared(kFirstShared, at(1, 1, 1));
}

TEST_F(SharedScan, EarlierReferencesToAReusedNumberDoNotCount) {
    lay(0, 0, 1, {Lpn{10}, Lpn{12}});
    lay(1, 0, 5, {name_of(kFirstShared)});
    lay(1, 1, 6, {Lpn{10}, Lpn{11}});  // both overwritten: the number becomes free
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               refer_record(Lpn{11}, kFirstShared, 4), share_record(kFirstShared, at(0, 0, 1), 7),
               refer_record(Lpn{12}, kFirstShared, 8)});
    EXPECT_EQ(entries[10], at(1, 1, 0));
    EXPECT_EQ(entries[12], kFirstEntry);
    expect_shared(kFirstShared, at(0, 0, 1));
}

// 11 was trimmed without a record (firmware.trim.persist=lazy), and its reference is still in the log.
TEST_F(SharedScan, AnOldReferenceToAReusedNumberIsDropped) {
    lay(0, 0, 1, {Lpn{11}, Lpn{12}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{11}, kFirstShared, 3),
               share_record(kFirstShared, at(0, 0, 1), 4), refer_record(Lpn{12}, kFirstShared, 5)});
    EXPECT_EQ(entries[11], kUnmapped) << "not another page's content, and not its own page, which is older";
    EXPECT_EQ(entries[12], kFirstEntry);
}

TEST_F(SharedScan, APlaceThatWasErasedIsGone) {
    lay(0, 0, 9, {Lpn{20}});  // the superblock has been erased and written again
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{11}, kFirstShared, 3)});
    EXPECT_EQ(entries[11], kUnmapped);
    EXPECT_EQ(entries[20], at(0, 0, 0));
    EXPECT_TRUE(shared.empty());
    boot_with({share_record(kFirstShared, at(2, 0, 0), 2), refer_record(Lpn{11}, kFirstShared, 3)});
    EXPECT_EQ(entries[11], kUnmapped) << "still empty";
}

TEST_F(SharedScan, NumbersBeyondTheVirtualBlocksAreNoNames) {
    lay(0, 0, 1, {Lpn{10}, Lpn{kFirstVirtual + 8}, Lpn{kFirstVirtual + kMostVirtual - 1}});
    boot_with({});
    EXPECT_EQ(entries[10], at(0, 0, 0));
    EXPECT_TRUE(shared.empty());
}

TEST_F(SharedScan, ACheckpointNamesBlocksAndTheirPlaces) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    LogContent log = checkpoint(5);
    log.entries[10] = log.entries[12] = kFirstEntry.value;
    log.table[kFirstShared.value] = at(0, 0, 0).value;
    for (const std::uint64_t since : {0, 5}) {
        boot(log, since);
        EXPECT_EQ(entries[10], kFirstEntry);
        EXPECT_EQ(entries[11], kUnmapped) << "the checkpoint says that it was trimmed";
        EXPECT_EQ(entries[12], kFirstEntry);
        expect_shared(kFirstShared, at(0, 0, 0));
    }
}

TEST_F(SharedScan, EventsAfterACheckpointAreNewer) {
    for (std::uint32_t page = 0; page < 8; ++page) {  // full before the checkpoint
        lay(0, page, 1 + page, {Lpn{page}});
    }
    LogContent log = checkpoint(10);
    log.entries[0] = log.entries[1] = log.entries[2] = log.entries[3] = kFirstEntry.value;
    log.table[kFirstShared.value] = at(0, 0, 0).value;
    log.table[kSecondShared.value] = at(0, 7, 0).value;  // no logical page refers to it yet
    lay(1, 0, 11, {name_of(kFirstShared), Lpn{1}});
    log.records = {trim_record(Lpn{2}, 1, 12), refer_record(Lpn{3}, kSecondShared, 13)};
    for (const std::uint64_t since : {0, 10}) {
        boot(log, since);
        EXPECT_EQ(entries[0], kFirstEntry);
        EXPECT_EQ(entries[1], at(1, 0, 1));
        EXPECT_EQ(entries[2], kUnmapped);
        EXPECT_EQ(entries[3], entry_of(kSecondShared));
        ASSERT_EQ(shared.size(), 2U);
        EXPECT_EQ(shared[0].place, at(1, 0, 0));
        EXPECT_EQ(shared[1].place, at(0, 7, 0));
    }
}

// The checkpoint writes the map first and the table of shared pages after it: 10 was overwritten in between.
TEST_F(SharedScan, ABlockThatWasLetGoWhileTheCheckpointWasWrittenIsGone) {
    lay(0, 0, 1, {Lpn{10}});
    lay(0, 1, 6, {Lpn{10}});
    LogContent log = checkpoint(5);
    log.entries[10] = log.entries[11] = kFirstEntry.value;
    boot(log, 5);
    EXPECT_EQ(entries[10], at(0, 1, 0));
    EXPECT_EQ(entries[11], kUnmapped) << "trimmed meanwhile, else the block would be in use";
    EXPECT_TRUE(shared.empty());
}

// This firmware never writes such records: ECC was wrong.
TEST_F(SharedScan, OfTwoBlocksAtOnePlaceOneIsKept) {
    lay(0, 0, 1, {Lpn{10}, Lpn{11}});
    boot_with({share_record(kFirstShared, at(0, 0, 0), 2), refer_record(Lpn{10}, kFirstShared, 3),
               share_record(kSecondShared, at(0, 0, 0), 4), refer_record(Lpn{11}, kSecondShared, 5)});
    expect_shared(kFirstShared, at(0, 0, 0));
    EXPECT_EQ(entries[10], kFirstEntry);
    EXPECT_EQ(entries[11], kUnmapped);
}

TEST_F(SharedScan, OfTwoEntriesOfACheckpointAtOnePlaceOneIsKept) {
    for (std::uint32_t page = 0; page < 8; ++page) {  // full before the checkpoint
        lay(0, page, 1 + page, {Lpn{page}});
    }
    LogContent log = checkpoint(10);
    log.entries[0] = log.entries[1] = at(0, 0, 0).value;
    boot(log, 10);
    EXPECT_EQ(entries[0], at(0, 0, 0));
    EXPECT_EQ(entries[1], kUnmapped);
}

TEST_F(SharedScan, ARecordTakesItsNumberAndItsKindBack) {
    const std::uint64_t most = kSequenceLimit - 1;
    const LogRecord trim = trim_record(Lpn{7}, 9, most);
    EXPECT_EQ(trim.word, most) << "as it was before there were other kinds";
    EXPECT_EQ(trim.kind(), RecordKind::trim);
    const LogRecord share = share_record(kFirstShared, Ppa{77}, most);
    EXPECT_EQ(share.kind(), kShareRecord);
    EXPECT_EQ(share.sequence(), most);
    const LogRecord refer = refer_record(Lpn{7}, kSecondShared, 1);
    EXPECT_EQ(refer.kind(), kReferRecord);
    EXPECT_EQ(refer.first, 7U);
    EXPECT_EQ(refer.second, kSecondShared.value);
}

}  // namespace
}  // namespace solidtlm::fw::testing
