// SPDX-License-Identifier: Apache-2.0
//
// Deduplication on fake hardware, step by step: which pages are hashed, read, compared, programmed and
// shared.
#include <gtest/gtest.h>

#include "fw/dedup/deduplicator.h"
#include "fw/longest_turn.h"
#include "fw/needs.h"
#include "fw/testing/deduplicating.h"
#include "fw/testing/power_host.h"
#include "fw/testing/seeds.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kUnit = 8;  // sectors

FirmwareConfig rules_config(std::string_view system) {
    return deduplicating(tiny_config(), system, std::chrono::milliseconds(1));
}

/// A device and a host that writes whole units.
struct Bench {
    explicit Bench(const FirmwareConfig& config) : device(config, 1), host(device, 1) {}
    explicit Bench(std::string_view system) : Bench(rules_config(system)) {}

    /// Writes to flash, and runs until no work is left, including work in idle time.
    void write(std::uint64_t unit, std::uint64_t kind, std::uint32_t units = 1) {
        host.write_kind(unit * kUnit, units * kUnit, true, kind);
        device.run();
    }
    /// As write(), but the host is not idle for long afterwards.
    void write_only(std::uint64_t unit, std::uint64_t kind) {
        const std::uint64_t completed = host.completed;
        host.write_kind(unit * kUnit, kUnit, true, kind);
        run_until([&] { return host.completed > completed; });
    }
    template <class Condition>
    void run_until(Condition condition) {
        while (!condition() && device.clock.run_one()) {
        }
    }
    void trim(std::uint64_t unit) {
        host.trim({{hal::Lba{unit * kUnit}, kUnit}});
        device.run();
    }
    [[nodiscard]] DedupState state() const { return *device.firmware->dedup(); }
    [[nodiscard]] Ppa place(std::uint32_t unit) const {
        return device.firmware->translation().locate(Lpn{unit});
    }
    [[nodiscard]] double written_units() const { return device.firmware->metrics().at("ftl.written_units"); }
    std::uint64_t dedup_reads() { return device.flash.by_cause[{hal::Cause::dedup, hal::FlashOpcode::read}]; }
    /// Everything reads as it was written, and the tables agree.
    void expect_sound() {
        EXPECT_EQ(device.firmware->check(), "");
        host.settle();
        EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
        EXPECT_TRUE(device.flash.violations.empty());
    }

    FakeDevice device;
    PowerHost host;
};

TEST(OnlineRules, ADuplicateIsNotProgrammed) {
    Bench bench("online");
    bench.write(10, 1);
    EXPECT_EQ(bench.written_units(), 1);
    bench.write(20, 1);
    EXPECT_EQ(bench.written_units(), 1);
    EXPECT_EQ(bench.place(20), bench.place(10));
    EXPECT_EQ(bench.state().counters.fingerprints, 2U);
    EXPECT_EQ(bench.state().counters.duplicates, 1U);
    EXPECT_EQ(bench.state().shared_pages, 1U);
    EXPECT_EQ(bench.state().references, 2U);
    EXPECT_EQ(bench.state().saved_pages(), 1U);
    bench.expect_sound();
}

TEST(OnlineRules, OverwritingOneSharerLeavesTheOther) {
    Bench bench("online");
    bench.write(10, 1);
    bench.write(20, 1);
    const Ppa shared = bench.place(10);
    bench.write(10, 2);
    EXPECT_EQ(bench.place(20), shared);
    EXPECT_NE(bench.place(10), shared);
    EXPECT_EQ(bench.state().references, 1U);
    bench.write(30, 1);
    EXPECT_EQ(bench.place(30), shared) << "it stays a shared page, and known";
    bench.trim(20);
    EXPECT_EQ(bench.place(20), kUnmapped);
    EXPECT_EQ(bench.place(30), shared);
    bench.trim(30);
    EXPECT_EQ(bench.state().shared_pages, 0U);
    bench.write(40, 1);
    EXPECT_NE(bench.place(40), shared) << "no logical page refers to the shared page";
    bench.expect_sound();
}

TEST(OnlineRules, RewritingAPageWithItsOwnContentsChangesNothing) {
    Bench bench("online");
    bench.write(10, 1);
    const Ppa place = bench.place(10);
    bench.write(10, 1);
    EXPECT_EQ(bench.place(10), place);
    EXPECT_EQ(bench.written_units(), 1);
    EXPECT_EQ(bench.state().shared_pages, 0U);
    bench.expect_sound();
}

/// Notes which superblock collection empties.
struct FirstVictim : hal::Probe {
    void decided(const hal::Decision& decision) override {
        if (decision.deed == hal::Deed::collect && !superblock) {
            superblock = SuperpageAddress{Pu{decision.unit}, Superblock{decision.block}, 0};
        }
    }
    std::optional<SuperpageAddress> superblock;
};

// Collection leaves a page behind whose newer version is to be programmed. So it must be programmed, although
// the page has these contents already: otherwise the victim keeps a valid page for ever.
TEST(OnlineRules, APageOfAVictimIsProgrammedWithItsOwnContents) {
    FirmwareConfig config = rules_config("online");
    config.dedup.table_bytes = 1ULL << 20;  // all pages stay known
    config.gc.pipeline_depth = 1;           // the host comes before collection
    Bench bench(config);
    FakeDevice& device = bench.device;
    device.run();
    FirstVictim victim;
    device.firmware->move_to(
        {device.clock, device.flash, device.dram, device.host, &victim, &device.pages, &device.hash});
    const auto units = static_cast<std::uint32_t>(device.config.exported_sectors / kUnit);
    const MediaLayout layout = media_layout(device.config, device.flash);
    const std::uint32_t row = layout.units_per_superpage() * layout.pus();
    const auto write = [&](std::uint32_t unit, std::uint32_t count, bool fua, std::uint64_t kind) {
        bench.host.write_kind(std::uint64_t{unit} * kUnit, count * kUnit, fua, kind);
    };
    // Each unit has contents of its own. Then every other row gets new ones, until collection begins.
    for (std::uint32_t unit = 0; unit < units; ++unit) {
        write(unit, 1, false, 1 + unit);
        bench.run_until([&] { return device.host.outstanding() < 16; });
    }
    bench.host.flush();
    device.run();
    victim.superblock.reset();
    for (std::uint32_t unit = 0; !victim.superblock; unit += 2 * row) {
        ASSERT_LE(unit + row, units) << "nothing was collected";
        write(unit, row, true, 0);
        bench.run_until([&] { return device.host.outstanding() == 0 || victim.superblock; });
    }
    const std::uint32_t first = layout.ppa(*victim.superblock, 0).value;
    std::optional<std::uint32_t> last;  // unit that collection reaches last
    for (std::uint32_t unit = 0; unit < units; ++unit) {
        const std::uint32_t place = bench.place(unit).value;
        if (unit % (2 * row) >= row && place - first < layout.units_per_superblock() &&
            (!last || place > bench.place(*last).value)) {
            last = unit;
        }
    }
    ASSERT_TRUE(last);
    const Ppa before = bench.place(*last);
    write(*last, 1, true, 1 + *last);
    bench.run_until([&] { return device.host.outstanding() == 0; });
    EXPECT_EQ(bench.state().counters.refused, 1U);
    EXPECT_EQ(bench.state().counters.duplicates, 0U);
    device.run();
    EXPECT_NE(bench.place(*last), before);
    EXPECT_FALSE(device.firmware->translation().read_only());
    bench.expect_sound();
}

// A full drive whose pages are often rewritten with their own contents can be overwritten for ever.
TEST(OnlineRules, AFullDriveStaysWritableIfPagesAreRewrittenWithTheirOwnContents) {
    for (std::uint64_t seed = 1; seed <= usual_or_sanitized(40U, 8U); ++seed) {
        FirmwareConfig config = rules_config("online");
        config.flash.channels = 1;
        config.flash.dies = 1 + static_cast<std::uint32_t>(seed % 2);
        config.gc.pipeline_depth = 1 + static_cast<std::uint32_t>(seed % 4);
        config.dedup.protection = seed % 3 == 0 ? DedupProtection::journal : DedupProtection::none;
        config.unit_bytes = seed % 5 == 0 ? 8192 : 4096;
        export_everything(config);
        Bench bench(config);
        const std::uint64_t sectors = config.unit_bytes / 512;
        const std::uint64_t units = config.exported_sectors / sectors;
        std::mt19937_64 random(seed);
        std::vector<std::uint64_t> kinds(units);
        std::uint64_t next = 0;
        for (int i = 0; i < 4000; ++i) {
            const std::uint64_t unit = random() % units;
            if (kinds[unit] == 0 || random() % 3 == 0) {
                kinds[unit] = ++next;
            }
            bench.host.write_kind(unit * sectors, static_cast<std::uint32_t>(sectors), random() % 16 == 0,
                                  kinds[unit]);
            bench.run_until([&] { return bench.device.host.outstanding() < 16; });
        }
        bench.device.run();
        EXPECT_FALSE(bench.device.firmware->translation().read_only()) << "seed " << seed;
        EXPECT_EQ(bench.host.failed, 0U) << "seed " << seed;
        EXPECT_GT(bench.state().counters.duplicates, 0U);
        bench.expect_sound();
    }
}

TEST(OnlineRules, EqualPagesOfOneCommandAreOnePage) {
    Bench bench("online");
    bench.write(10, 1, 6);
    EXPECT_EQ(bench.written_units(), 1);
    EXPECT_EQ(bench.state().references, 6U);
    EXPECT_EQ(bench.state().counters.duplicates, 5U);
    for (std::uint32_t unit = 11; unit < 16; ++unit) {
        EXPECT_EQ(bench.place(unit), bench.place(10));
    }
    bench.expect_sound();
}

// Four units per window: of unique units only the first is hashed, of known ones all are.
TEST(OnlineRules, SamplingHashesOneOfSeveral) {
    FirmwareConfig config = rules_config("online");
    config.dedup.sampling = 4;
    Bench bench(config);
    for (std::uint64_t unit = 0; unit < 4; ++unit) {
        bench.write(unit, 100 + unit);
    }
    EXPECT_EQ(bench.state().counters.fingerprints, 4U) << "one at a time";
    bench.write(40, 0, 4);
    EXPECT_EQ(bench.state().counters.fingerprints, 5U);
    EXPECT_EQ(bench.state().counters.sampled_out, 3U);
    bench.write(80, 100, 4);
    EXPECT_EQ(bench.state().counters.fingerprints, 9U);
    EXPECT_EQ(bench.place(83), bench.place(0));
    bench.expect_sound();
}

TEST(OfflineRules, EqualPagesAreMergedInIdleTime) {
    Bench bench("offline");
    bench.write(10, 1);
    bench.write(20, 1);
    bench.write(30, 2);
    EXPECT_EQ(bench.written_units(), 3);
    EXPECT_EQ(bench.place(20), bench.place(10));
    EXPECT_NE(bench.place(30), bench.place(10));
    const DedupState state = bench.state();
    EXPECT_EQ(state.counters.checked, 3U);
    EXPECT_EQ(state.counters.fingerprints, 3U);
    EXPECT_EQ(state.counters.crcs, 0U);
    EXPECT_EQ(state.counters.duplicates, 1U);
    EXPECT_EQ(state.waiting, 0U);
    EXPECT_EQ(bench.dedup_reads(), 3U);
    bench.expect_sound();
}

TEST(OfflineRules, APageIsCheckedOnce) {
    Bench bench("offline");
    bench.write(10, 1);
    bench.write(20, 2);
    bench.write(30, 3);
    EXPECT_EQ(bench.state().counters.fingerprints, 3U);
    bench.write(10, 4);
    EXPECT_EQ(bench.state().counters.fingerprints, 4U);
    EXPECT_EQ(bench.state().table_entries, 3U);
    bench.expect_sound();
}

// Two pairs of equal pages, each merged before the pairs are compared: both are shared and stay apart.
TEST(OfflineRules, TwoSharedPagesAreNotMerged) {
    FirmwareConfig config = rules_config("offline");
    config.dedup.table_bytes = kFingerprintBytes;  // one entry: the first pair is forgotten
    Bench bench(config);
    bench.write(10, 1);
    bench.write(11, 1);
    bench.write(50, 2);
    bench.write(20, 1);
    bench.write(21, 1);
    EXPECT_EQ(bench.place(11), bench.place(10));
    EXPECT_EQ(bench.place(21), bench.place(20));
    EXPECT_NE(bench.place(20), bench.place(10));
    EXPECT_GE(bench.state().counters.evicted, 2U);
    bench.expect_sound();
}

TEST(SeparatedRules, CrcWhenWrittenFingerprintOfEachInIdleTime) {
    Bench bench("offline_separated");
    bench.write(10, 1);
    bench.write(20, 1);
    bench.write(30, 2);
    const DedupState state = bench.state();
    EXPECT_EQ(state.counters.crcs, 3U);
    EXPECT_EQ(state.counters.candidates, 1U);
    EXPECT_EQ(state.counters.fingerprints, 3U);
    EXPECT_EQ(state.counters.duplicates, 1U);
    EXPECT_EQ(bench.place(20), bench.place(10));
    bench.expect_sound();
}

TEST(SeparatedRules, PagesThatMayBeDuplicatesLieInTheirOwnSuperblocks) {
    FirmwareConfig config = rules_config("offline_separated");
    config.flash.channels = 1;
    config.flash.dies = 1;
    export_everything(config);
    Bench bench(config);
    const std::uint64_t ppas = std::uint64_t{4} * config.flash.pages;  // a superblock
    bench.write_only(10, 1);
    bench.write_only(20, 2);
    bench.write_only(30, 1);
    bench.write_only(40, 2);
    EXPECT_EQ(bench.place(10).value / ppas, bench.place(20).value / ppas);
    EXPECT_EQ(bench.place(30).value / ppas, bench.place(40).value / ppas);
    EXPECT_NE(bench.place(10).value / ppas, bench.place(30).value / ppas);
}

TEST(Crc32Rules, OnlyCandidatesAreReadAndCompared) {
    Bench bench("offline_crc32");
    bench.write(10, 1);
    bench.write(20, 2);
    bench.write(30, 3);
    EXPECT_EQ(bench.dedup_reads(), 0U);
    bench.write(40, 2);
    const DedupState state = bench.state();
    EXPECT_EQ(state.counters.crcs, 4U);
    EXPECT_EQ(state.counters.fingerprints, 0U);
    EXPECT_EQ(state.counters.candidates, 1U);
    EXPECT_EQ(state.counters.checked, 1U);
    EXPECT_EQ(state.counters.comparisons, 1U);
    EXPECT_EQ(state.counters.collisions, 0U);
    EXPECT_EQ(state.counters.duplicates, 1U);
    EXPECT_EQ(bench.dedup_reads(), 2U) << "the candidate and the known page";
    EXPECT_EQ(bench.place(40), bench.place(20));
    bench.expect_sound();
}

// Every content has the same CRC32: the n-th page is compared with the known pages until one is equal.
TEST(Crc32Rules, EqualCrcsOfDifferentContentsAreNeverMerged) {
    Bench bench("offline_crc32");
    bench.device.hash.crc_bits = 0;
    bench.write(10, 1);
    bench.write(20, 2);
    EXPECT_EQ(bench.state().counters.comparisons, 1U);
    EXPECT_EQ(bench.state().counters.collisions, 1U);
    bench.write(30, 3);
    EXPECT_EQ(bench.state().counters.comparisons, 3U);
    EXPECT_EQ(bench.state().counters.collisions, 3U);
    EXPECT_EQ(bench.state().counters.duplicates, 0U);
    bench.write(40, 1);
    EXPECT_EQ(bench.state().counters.duplicates, 1U);
    EXPECT_EQ(bench.place(40), bench.place(10));
    EXPECT_NE(bench.place(20), bench.place(10));
    EXPECT_NE(bench.place(30), bench.place(20));
    bench.expect_sound();
}

TEST(Crc32Rules, TheKnownPageMayBeGone) {
    FirmwareConfig config = rules_config("offline_crc32");
    config.idle_threshold = std::chrono::seconds(1);
    Bench bench(config);
    bench.write_only(10, 1);
    bench.write_only(20, 1);
    bench.write(10, 2);  // before the host is idle
    EXPECT_EQ(bench.state().counters.candidates, 1U);
    EXPECT_EQ(bench.state().counters.duplicates, 0U);
    EXPECT_EQ(bench.dedup_reads(), 0U) << "nothing to compare with";
    bench.write(30, 1);
    EXPECT_EQ(bench.place(30), bench.place(20)) << "it has become known itself";
    bench.expect_sound();
}

// The known page of each candidate is gone, so that none of them has to be read.
TEST(Crc32Rules, CandidatesWithoutAKnownPageLetACommandGoFirst) {
    FirmwareConfig config = rules_config("offline_crc32");
    config.cycles.dedup_search = 10'000;
    Bench bench(config);
    constexpr std::uint64_t kCandidates = 40;
    for (std::uint64_t i = 0; i < kCandidates; ++i) {
        bench.write_only(i, 1 + i);
        bench.write_only(100 + i, 1 + i);
    }
    for (std::uint64_t i = 0; i < kCandidates; ++i) {
        bench.write_only(i, 1 + kCandidates + i);
    }
    ASSERT_EQ(bench.state().waiting, kCandidates);
    bench.run_until([&] { return bench.state().counters.checked == 2; });
    bench.write_only(200, 1000);
    EXPECT_LE(bench.state().counters.checked, 4U);
    bench.device.run();
    EXPECT_EQ(bench.state().counters.checked, kCandidates);
    EXPECT_LE(bench.device.longest_turn, longest_turn_cycles(config, bench.device.firmware->layout(), false));
    bench.expect_sound();
}

/// Reads by deduplication while a command is outstanding: at most the one under way when the command came.
TEST(IdleTime, BackgroundWorkGivesWayAtOnce) {
    for (const std::string_view system : {"offline", "offline_crc32"}) {
        Bench bench(system);
        for (std::uint64_t unit = 0; unit < 200; unit += 20) {
            bench.host.write_kind(unit * kUnit, 20 * kUnit, false, 1 + unit % 60);
        }
        bench.host.flush();
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t before = bench.dedup_reads();
            bench.run_until([&] { return bench.dedup_reads() >= before + 3; });
            for (int events = 0; events < i % 5; ++events) {
                bench.device.clock.run_one();
            }
            const std::uint64_t reads = bench.dedup_reads();
            bench.write_only(1000, 0);
            EXPECT_LE(bench.dedup_reads(), reads + 1);
        }
        bench.device.run();
        EXPECT_EQ(bench.state().waiting, 0U);
        EXPECT_GT(bench.state().counters.interrupted, 0U);
        bench.expect_sound();
    }
}

TEST(IdleTime, BeginsAfterTheThreshold) {
    Bench bench("offline");
    bench.write_only(10, 1);
    const Ps end = bench.device.clock.now();
    bench.run_until([&] { return bench.dedup_reads() > 0; });
    // The read itself takes some 100 us on the fake die.
    EXPECT_GE(bench.device.clock.now() - end, Ps{std::chrono::milliseconds(1)});
    EXPECT_LE(bench.device.clock.now() - end, Ps{std::chrono::microseconds(1500)});
}

TEST(SharedCollection, AllSharersFollow) {
    for (const std::string_view system : {"online", "offline_crc32"}) {
        Bench bench(system);
        for (const std::uint64_t unit : {10, 20, 30}) {
            bench.write(unit, 1);
        }
        const Ppa before = bench.place(10);
        const auto units = static_cast<std::uint32_t>(bench.device.config.exported_sectors / kUnit);
        std::mt19937_64 random(5);
        for (int i = 0; i < 4000 && bench.place(10) == before; ++i) {
            bench.host.write_kind((100 + random() % (units - 100)) * kUnit, kUnit, false, 0);
            if (i % 16 == 0) {
                bench.device.run();
            }
        }
        bench.device.run();
        EXPECT_NE(bench.place(10), before) << "collection has moved it";
        EXPECT_EQ(bench.place(20), bench.place(10));
        EXPECT_EQ(bench.place(30), bench.place(10));
        EXPECT_EQ(bench.state().references, 3U);
        bench.expect_sound();
        bench.host.flush();
        bench.device.run();
        bench.host.power_cut();
        bench.device.run();
        EXPECT_EQ(bench.place(20), bench.place(10)) << "its name is in the spare area";
        bench.expect_sound();
    }
}

TEST(Bounds, AFullTableForgetsAndAFullSharedTableRefuses) {
    for (const std::string_view system : {"online", "offline", "offline_separated", "offline_crc32"}) {
        FirmwareConfig config = rules_config(system);
        config.dedup.table_bytes = std::uint64_t{8} * kFingerprintBytes;
        config.dedup.shared_bytes = std::uint64_t{2} * DedupConfig::kSharedPageBytes;
        Bench bench(config);
        bench.host.repeat_contents(80, 12);
        bench.host.keep_busy(600, 8);
        bench.device.run();
        const DedupState state = bench.state();
        EXPECT_GT(state.counters.evicted, 0U);
        EXPECT_GT(state.counters.refused, 0U);
        EXPECT_LE(state.shared_pages, 2U);
        EXPECT_LE(state.table_entries, system == "offline_separated" ? 9U : 10U);
        bench.expect_sound();
    }
}

// C6: no physical page carries the second logical address.
TEST(PowerLoss, OnlineLosesAFlushedDuplicateUnlessItIsProtected) {
    for (const DedupProtection protection :
         {DedupProtection::none, DedupProtection::capacitor, DedupProtection::journal}) {
        FirmwareConfig config = rules_config("online");
        config.dedup.protection = protection;
        Bench bench(config);
        bench.write(10, 1);
        bench.host.write_kind(20 * kUnit, kUnit, true, 1);
        bench.host.flush();
        bench.device.run();
        bench.host.power_cut();
        bench.device.run();
        bench.host.settle();
        EXPECT_EQ(bench.device.firmware->check(), "");
        std::set<std::uint64_t> lost;
        for (std::uint64_t sector = 0; protection == DedupProtection::none && sector < kUnit; ++sector) {
            lost.insert(20 * kUnit + sector);
        }
        EXPECT_EQ(bench.host.mismatched, lost) << static_cast<int>(protection);
    }
}

TEST(PowerLoss, OfflineLosesNoDuplicate) {
    for (const std::string_view system : {"offline", "offline_separated", "offline_crc32"}) {
        Bench bench(system);
        bench.write(10, 1);
        bench.write(20, 1);
        EXPECT_EQ(bench.place(20), bench.place(10));
        bench.host.power_cut();
        bench.device.run();
        bench.expect_sound();
        bench.write(30, 1);
        EXPECT_TRUE(bench.place(30) == bench.place(10) || bench.place(30) == bench.place(20) ||
                    system == "offline_crc32");
        bench.expect_sound();
    }
}

// The numbers of virtual blocks are reused at once. Units 0 to 7 shared pages and were trimmed; then units 8
// to 15 share pages under the same numbers. Neither is recorded on flash yet. If collection moved the new
// pages under these names now, a power cut would give the trimmed units the contents of the others.
TEST(PowerLoss, CollectionWaitsUntilAShareRecordIsOnFlash) {
    for (std::uint64_t seed = 1; seed <= usual_or_sanitized(500U, 60U); ++seed) {
        FirmwareConfig config = tiny_config();
        config.flash.channels = config.flash.dies = 1;
        config.recovery.trims = TrimPersistence::journal;
        config.gc.policy = "random";
        config = deduplicating(config, "offline", std::chrono::milliseconds(1));
        config.dedup.shared_bytes = 4 * DedupConfig::kSharedPageBytes;
        config.seed = seed;
        Bench bench(config);
        std::mt19937_64 random(seed);
        const std::uint64_t units = config.exported_sectors / kUnit;
        const auto share = [&bench](std::uint64_t first) {
            for (std::uint64_t unit = 0; unit < 8; ++unit) {
                bench.write_only(first + unit, 1 + first + unit % 4);
            }
        };
        const auto moved = [&bench] { return bench.device.firmware->metrics().at("gc.moved_units"); };
        for (std::uint64_t unit = 16; unit < units; ++unit) {
            bench.write_only(unit, 0);
        }
        share(0);
        bench.device.run();
        bench.host.flush();
        share(8);
        for (std::uint64_t i = 0; i < 60; ++i) {
            bench.write_only(16 + random() % (units - 16), 0);
        }
        bench.host.flush();
        bench.run_until([&bench] { return bench.device.host.outstanding() == 0; });
        bench.host.trim({{hal::Lba{0}, 8 * kUnit}});
        bench.run_until([&bench] { return bench.state().shared_pages == 0; });
        bench.run_until([&bench] { return bench.state().shared_pages >= 2; });
        const double before = moved();
        for (std::uint64_t i = 0; i < 200 && moved() == before; ++i) {
            bench.host.write_kind((16 + random() % (units - 16)) * kUnit, kUnit, true, 0);
            bench.run_until([&] { return bench.device.host.outstanding() == 0 || moved() > before; });
        }
        bench.host.power_cut();
        bench.device.run();
        bench.host.settle();
        ASSERT_EQ(bench.host.mismatches, 0U) << "seed " << seed << ": " << bench.host.first_mismatch;
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
