// SPDX-License-Identifier: Apache-2.0
//
// The recovery log alone, with shared pages: records are found again, at once or after a flush, and with a
// capacitor there is always room for those that wait.
#include "fw/log/recovery_log.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <random>
#include <set>

#include "fw/dedup/deduplicator.h"
#include "fw/dedup/share_records.h"
#include "fw/dedup/shared_pages.h"
#include "fw/flash/superblock_table.h"
#include "fw/log/needs.h"
#include "fw/map_cache/map_cache.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kLpns = 32;

/// One die of two planes with 16 blocks of 8 pages of 1 KiB: a journal page holds (1024 - 32) / 16 = 62
/// records, a checkpoint page 248 entries. So 32 logical pages and 16 virtual blocks make a checkpoint of two
/// pages. With a capacitor, two pages for 64 records and two spare pages make six, which fit in one block;
/// the journal gets another block. Two banks of two blocks are two superblocks.
FirmwareConfig log_config(DedupProtection protection) {
    FirmwareConfig config = tiny_config();
    config.flash = FlashLayout{1, 1, 1, 2, 16, 8, 1024};
    config.unit_bytes = 512;
    config.dedup.system = dedup_system("online");
    config.dedup.protection = protection;
    config.dedup.table_bytes = 4096;
    config.dedup.shared_bytes = std::uint64_t{16} * DedupConfig::kSharedPageBytes;
    config.exported_sectors = kLpns;
    return config;
}
constexpr std::uint32_t kBankPages = 16;
constexpr std::uint32_t kRecordsPerPage = 62;

/// The firmware between two losses of power.
struct Life : private MapListener, private CheckpointSource, private Indirection {
    Life(const FirmwareConfig& config, FakeClock& device_clock, FakeFlash& flash, FakeDram& dram,
         hal::PageStore& pages)
        : clock(device_clock),
          executor(clock),
          core(clock, executor),
          layout(media_layout(config, flash)),
          services{config, executor, &flash, &dram, layout, nullptr, &pages},
          dram_map(fw::dram_map(config, layout)),
          table(layout, true),
          progress(executor, "progress"),
          allocator(services, table, progress),
          map(make_full_table(services, dram_map)),
          shared(config.dedup.shared_pages()),
          log(services, RecoveryLog::Parts{allocator, *this, pages, this}, dram_map[kLogBuffers]) {
        executor.move_to(clock, true);  // only flash operations take time
    }
    ~Life() override { executor.shut_down(); }

    /// Runs `task` until it needs flash.
    void start(Task<void> task) {
        executor.spawn(std::move(task));
        core.wake();
    }
    Task<void> boot(LogContent& found) {
        BootReport report;
        found = co_await log.read(report);
        allocator.resume_sequence(found.last_sequence + 1);
    }
    /// `lpn` refers to the page at `place` from now on, which becomes shared if it is not yet.
    Task<void> refer(Lpn lpn, Ppa place) {
        if (!log.accepts() || log.checkpointing()) {
            ++refused;
            co_return;
        }
        std::optional<VirtualBlock> block = shared.find(place);
        if (!block) {
            block = shared.share(place);
            if (!block) {
                co_return;
            }
            note_share(log, *block, place);
        }
        note_refer(log, lpn, *block);
        shared.refer(*block);
        MapUpdate update{lpn, entry_of(*block)};
        Charge charge;
        co_await map->update(std::span(&update, 1), *this, Cause::dedup, nullptr, charge);
    }
    /// Trims `count` pages one by one, from `lpn` on and around.
    Task<void> trim(Lpn lpn, std::uint64_t count = 1) {
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!log.may_begin_trim()) {
                co_await log.wait_for_trim(nullptr);
            }
            const std::uint64_t number = log.begin_trim();
            const Lpn page{static_cast<std::uint32_t>((lpn.value + i) % kLpns)};
            MapUpdate update{page, kUnmapped};
            Charge charge;
            co_await map->update(std::span(&update, 1), *this, Cause::host, nullptr, charge);
            log.end_trim(number, page, 1);
            ++trimmed;
        }
    }
    Task<void> begin_trim(std::vector<std::uint64_t>& begun) {
        if (!log.may_begin_trim()) {
            co_await log.wait_for_trim(nullptr);
        }
        begun.push_back(log.begin_trim());
    }
    Task<void> apply(MapUpdate& update, MapListener& listener) {
        Charge charge;
        co_await map->update(std::span(&update, 1), listener, Cause::recovery, nullptr, charge);
    }
    Task<void> persist(bool& ok) { ok = co_await log.persist(); }

    FakeClock& clock;
    Executor executor;
    FakeCore core;
    MediaLayout layout;
    Services services;
    DramMap dram_map;
    SuperblockTable table;
    Signal progress;
    Allocator allocator;
    std::unique_ptr<MapCache> map;
    SharedPages shared;
    RecoveryLog log;
    std::uint64_t refused = 0;
    std::uint64_t trimmed = 0;

  private:
    Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) override {
        return map->lookup(first, found, nullptr, charge);
    }
    [[nodiscard]] bool denotes(Ppa entry) const override { return is_shared(entry, shared.capacity()); }
    [[nodiscard]] bool is_sound(const LogRecord& record) const override {
        return is_sound_record(record, layout, shared.capacity());
    }
    void read_table(std::uint32_t first, std::span<Ppa> found, Charge& /*charge*/) const override {
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            found[i] = shared.place(VirtualBlock{first + i});
        }
    }
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& /*charge*/) override {
        for (const MapUpdate& update : updates) {
            if (is_shared(update.previous, shared.capacity())) {
                shared.release(block_of(update.previous));
            }
        }
    }
};

/// Places by logical page: the map of a drive that has no other pages.
using Places = std::map<std::uint32_t, Ppa>;

class LogBench {
  public:
    explicit LogBench(const FirmwareConfig& configuration, std::uint64_t seed = 1)
        : config(configuration),
          dram(Firmware::dram_bytes(config), config.content),
          flash(config, clock, dram, seed),
          life(make_life()) {
        life->log.start();
    }

    void run(std::uint64_t events = ~std::uint64_t{0}) {
        for (std::uint64_t i = 0; i < events && clock.run_one(); ++i) {
        }
    }
    /// Notes `count` references while no time passes on flash.
    void refer(std::uint32_t lpn, std::uint32_t place) {
        life->start(life->refer(Lpn{lpn}, Ppa{place}));
        run(1);
    }
    [[nodiscard]] Places known() const {
        Places places;
        for (std::uint32_t lpn = 0; lpn < kLpns; ++lpn) {
            if (const Ppa entry = life->map->peek(Lpn{lpn}); is_shared(entry, life->shared.capacity())) {
                places[lpn] = life->shared.place(block_of(entry));
            }
        }
        return places;
    }
    /// Loses power and boots again. Returns what the log alone contains.
    Places cut() {
        clock.forget();
        flash.power_cut();
        life->log.save(flash);
        life = make_life();
        LogContent found;
        life->start(life->boot(found));
        run();
        const Places known = adopt(found);
        life->log.start();
        return known;
    }

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram;
    FakeFlash flash;
    hal::PageStore pages;
    std::unique_ptr<Life> life;

  private:
    [[nodiscard]] std::unique_ptr<Life> make_life() {
        return std::make_unique<Life>(config, clock, flash, dram, pages);
    }
    /// Replays checkpoint and records, and continues with the result.
    Places adopt(const LogContent& found) {
        std::map<std::uint32_t, VirtualBlock> entries;
        std::map<VirtualBlock, Ppa> places;
        for (std::uint32_t lpn = 0; lpn < found.entries.size(); ++lpn) {
            if (is_shared(Ppa{found.entries[lpn]}, life->shared.capacity())) {
                entries[lpn] = block_of(Ppa{found.entries[lpn]});
            }
        }
        for (std::uint32_t block = 0; block < found.table.size(); ++block) {
            places[VirtualBlock{block}] = Ppa{found.table[block]};
        }
        for (const LogRecord& record : found.records) {
            if (record.kind() == kShareRecord) {
                places[VirtualBlock{record.first}] = Ppa{record.second};
                // The number was reused, so logical pages that referred to it before were trimmed or
                // overwritten.
                std::erase_if(entries, [&record](const auto& entry) {
                    return entry.second == VirtualBlock{record.first};
                });
            } else if (record.kind() == kReferRecord) {
                entries[record.first] = VirtualBlock{record.second};
            } else {
                entries.erase(record.first);
            }
        }
        Places known;
        std::set<VirtualBlock> used;
        for (const auto& [lpn, block] : entries) {
            known[lpn] = places.at(block);
            if (used.insert(block).second) {
                life->shared.restore(block, places.at(block));
            }
            life->shared.refer(block);
            MapUpdate update{Lpn{lpn}, entry_of(block)};
            restore(update);
        }
        return known;
    }
    void restore(MapUpdate& update) {
        struct Ignores : MapListener {
            [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
            void applied(std::span<const MapUpdate> /*updates*/, Charge& /*charge*/) override {}
        } listener;
        life->start(life->apply(update, listener));
        run();
    }
};

TEST(RecoveryLogSize, HasRoomForSharedPagesAndTheCapacitor) {
    FirmwareConfig config = log_config(DedupProtection::capacitor);
    RecoveryLogSize size = recovery_log_size(config);
    EXPECT_EQ(size.records_per_page, kRecordsPerPage);
    EXPECT_EQ(size.map_pages, 1U);
    EXPECT_EQ(size.checkpoint_pages, 2U);
    EXPECT_EQ(size.bank_blocks * config.flash.pages, kBankPages);
    EXPECT_EQ(size.superblocks, 2U);
    config.dedup.shared_bytes = std::uint64_t{3000} * DedupConfig::kSharedPageBytes;
    size = recovery_log_size(config);
    EXPECT_EQ(size.checkpoint_pages, 1U + 13) << "3,000 / 248, rounded up";
    EXPECT_EQ(size.bank_blocks, 4U) << "14 pages and 4, which are 3 blocks, and one for the journal";
    config.dedup.protection = DedupProtection::none;
    EXPECT_EQ(recovery_log_size(config).bank_blocks, 3U);
    config.dedup.system = DedupConfig{}.system;
    EXPECT_EQ(recovery_log_size(config).superblocks, 0U);
}

TEST(RecoveryLog, FindsPersistedRecords) {
    LogBench bench(log_config(DedupProtection::none));
    bench.refer(3, 100);
    bench.refer(4, 100);
    bench.refer(5, 200);
    EXPECT_TRUE(bench.life->log.pending());
    bool ok = false;
    bench.life->start(bench.life->persist(ok));
    bench.run();
    EXPECT_TRUE(ok);
    EXPECT_FALSE(bench.life->log.pending());
    EXPECT_TRUE(bench.life->log.waiting().empty());
    EXPECT_EQ(bench.life->log.counters().journal_pages, 1U);
    EXPECT_EQ(bench.life->log.counters().indirection_records, 5U);
    EXPECT_EQ(bench.cut(), (Places{{3, Ppa{100}}, {4, Ppa{100}}, {5, Ppa{200}}}));
}

/// The only page of the log.
hal::FlashAddress journal_page(const LogBench& bench) {
    hal::FlashAddress at;
    for (std::uint32_t block = 0; block < bench.config.flash.blocks; ++block) {
        at.block = hal::Block{block};
        if (!bench.pages.get(at).empty()) {
            break;
        }
    }
    return at;
}

std::vector<std::byte> page_of(const LogRecord& record) {
    return encode_log_page(LogHeader{0, 0, 1, {}}, std::span(&record, 1));
}

// ECC was wrong, and more records may be lost than those of the page. But the drive boots and notes new ones.
TEST(RecoveryLog, IgnoresAPageThatFirmwareNeverWrites) {
    const std::uint32_t units = 1U << 20;  // more than the drive has
    std::vector<std::byte> promises_more = page_of(refer_record(Lpn{3}, VirtualBlock{0}, 9));
    promises_more[offsetof(LogHeader, items) + 3] = std::byte{0xFF};
    const std::vector<std::vector<std::byte>> pages{
        {},
        std::vector<std::byte>(sizeof(LogHeader) - 1),
        promises_more,
        page_of(trim_record(Lpn{kLpns - 1}, 2, 9)),
        page_of(trim_record(Lpn{1}, 0xFFFF'FFFF, 9)),
        page_of(share_record(VirtualBlock{16}, Ppa{100}, 9)),
        page_of(share_record(VirtualBlock{0}, Ppa{units}, 9)),
        page_of(refer_record(Lpn{kLpns}, VirtualBlock{0}, 9)),
        page_of(refer_record(Lpn{3}, VirtualBlock{16}, 9)),
        page_of(trim_record(Lpn{3}, 1, kSequenceLimit - 1)),
        page_of(LogRecord{3, 1, std::uint64_t{3} << 56U | 9}),  // an unknown kind
    };
    for (std::size_t i = 0; i < pages.size(); ++i) {
        LogBench bench(log_config(DedupProtection::none));
        bool ok = false;
        bench.refer(3, 100);
        bench.life->start(bench.life->persist(ok));
        bench.run();
        const hal::FlashAddress at = journal_page(bench);
        ASSERT_FALSE(bench.pages.get(at).empty());
        bench.pages.put(at, pages[i]);
        EXPECT_EQ(bench.cut(), Places{}) << "page " << i;
        bench.refer(4, 100);
        bench.life->start(bench.life->persist(ok));
        bench.run();
        EXPECT_EQ(bench.cut(), (Places{{4, Ppa{100}}})) << "page " << i;
    }
}

TEST(RecoveryLog, LosesWaitingRecordsWithoutProtection) {
    LogBench bench(log_config(DedupProtection::none));
    bench.refer(3, 100);
    bool ok = false;
    bench.life->start(bench.life->persist(ok));
    bench.run();
    bench.refer(4, 100);
    bench.refer(3, 200);
    EXPECT_EQ(unwritten_references(bench.life->log), (std::vector{Lpn{4}, Lpn{3}}));
    EXPECT_EQ(bench.cut(), (Places{{3, Ppa{100}}}));
    EXPECT_EQ(bench.flash.emergency_programs, 0U);
}

TEST(RecoveryLog, LosesNothingWithACapacitor) {
    LogBench bench(log_config(DedupProtection::capacitor));
    bench.refer(3, 100);
    bench.refer(4, 100);
    EXPECT_EQ(bench.cut(), (Places{{3, Ppa{100}}, {4, Ppa{100}}}));
    EXPECT_EQ(bench.flash.emergency_programs, 1U);
    EXPECT_EQ(bench.cut(), (Places{{3, Ppa{100}}, {4, Ppa{100}}})) << "and there is nothing left to write";
    EXPECT_EQ(bench.flash.emergency_programs, 1U);
}

TEST(RecoveryLog, WritesTheRecordsOfATornPageAgain) {
    LogBench bench(log_config(DedupProtection::capacitor));
    bench.refer(3, 100);
    bool ok = false;
    bench.life->start(bench.life->persist(ok));
    while (bench.flash.pending(hal::Channel{0}, hal::Die{0}) == 0) {
        ASSERT_TRUE(bench.clock.run_one());
    }
    EXPECT_EQ(bench.cut(), (Places{{3, Ppa{100}}}));
    EXPECT_EQ(bench.flash.emergency_programs, 1U);
    EXPECT_TRUE(bench.flash.violations.empty());
}

// A page that firmware had submitted, but whose program the die had not begun, is still erased. If it stayed
// erased, a boot would stop reading there.
TEST(RecoveryLog, LeavesNoErasedPageBetweenWrittenOnes) {
    LogBench bench(log_config(DedupProtection::capacitor));
    hal::FlashOp read;
    read.cause = Cause::recovery;
    bench.flash.submit(read);
    for (std::uint32_t i = 0; i < 3 * kRecordsPerPage; ++i) {
        bench.refer(i % kLpns, 100);
    }
    while (bench.flash.pending(hal::Channel{0}, hal::Die{0}) < 2) {
        ASSERT_TRUE(bench.clock.run_one());
    }
    bench.refer(5, 200);
    const Places known = bench.known();
    EXPECT_EQ(bench.cut(), known);
    EXPECT_EQ(bench.flash.emergency_programs, 4U) << "3 x 62 references and two shares";
    EXPECT_TRUE(bench.flash.violations.empty());
}

/// Notes records until the log refuses them, while no page gets to flash.
std::uint64_t note_until_refused(LogBench& bench) {
    std::uint64_t noted = 0;
    for (; bench.life->log.accepts() && noted < 10'000; ++noted) {
        bench.refer(static_cast<std::uint32_t>(noted % kLpns), 100);
    }
    return noted;
}

/// Notes records one by one, while pages are written, until a checkpoint has begun.
void fill_until_checkpoint(LogBench& bench) {
    for (std::uint32_t i = 0; !bench.life->log.checkpointing() && i < 10'000; ++i) {
        bench.refer(i % kLpns, 100 + i / kLpns % 8);
        bench.run(i % 16 == 0 ? 1 : 0);
    }
    ASSERT_TRUE(bench.life->log.checkpointing());
}

TEST(RecoveryLog, HasRoomForAllRecordsAtTheWorstMoment) {
    LogBench bench(log_config(DedupProtection::capacitor));
    hal::FlashOp first;  // keeps the die busy until the cut
    first.cause = Cause::recovery;
    bench.flash.submit(first);
    const std::uint64_t noted = note_until_refused(bench);
    // 16 pages: one is being written, one is reserved for a failed program, and 64 more records have room.
    EXPECT_GE(noted, (kBankPages - 3 - 2) * kRecordsPerPage);
    EXPECT_LT(noted, kBankPages * kRecordsPerPage);
    const Places known = bench.known();
    EXPECT_EQ(known.size(), kLpns);
    EXPECT_EQ(bench.cut(), known);
    EXPECT_EQ(bench.flash.emergency_programs, (noted + 1 + kRecordsPerPage - 1) / kRecordsPerPage);
    EXPECT_TRUE(bench.flash.violations.empty());
}

TEST(RecoveryLog, MakesRoomWithACheckpoint) {
    LogBench bench(log_config(DedupProtection::capacitor));
    for (int round = 0; round < 10; ++round) {
        EXPECT_GT(note_until_refused(bench), 0U) << "round " << round;
        bench.run();
        EXPECT_TRUE(bench.life->log.accepts()) << "round " << round;
    }
    EXPECT_GE(bench.life->log.counters().checkpoints, 3U);
    const Places known = bench.known();
    EXPECT_EQ(bench.cut(), known);
}

TEST(RecoveryLog, SavesIntoTheValidBankWhileTheOtherIsWritten) {
    LogBench bench(log_config(DedupProtection::capacitor));
    fill_until_checkpoint(bench);
    EXPECT_EQ(bench.life->refused, 0U);
    bench.refer(2, 300);
    EXPECT_EQ(bench.life->refused, 1U) << "nothing is shared meanwhile";
    const Places known = bench.known();
    EXPECT_EQ(bench.cut(), known);
    EXPECT_TRUE(bench.flash.violations.empty());
}

TEST(RecoveryLog, AcceptsNoRecordsWhenWornOutAndSavesThoseItHas) {
    LogBench bench(log_config(DedupProtection::capacitor));
    bench.flash.erase_failure = 1.0;
    fill_until_checkpoint(bench);
    bool ok = true;
    bench.life->start(bench.life->persist(ok));
    bench.run();
    EXPECT_FALSE(bench.life->log.accepts());
    EXPECT_FALSE(ok);
    const Places known = bench.known();
    EXPECT_FALSE(bench.life->log.waiting().empty());
    EXPECT_EQ(bench.cut(), known);
}

constexpr std::uint64_t kWaiting = 16 * std::uint64_t{kRecordsPerPage};

/// 16 pages of records may wait. TRIMs then wait until a page has been written, which takes its 62 records.
TEST(RecoveryLog, TrimsWaitForThePagesOfTheirRecords) {
    constexpr std::uint64_t kTrims = 3000;
    FirmwareConfig config = log_config(DedupProtection::none);
    config.recovery.trims = TrimPersistence::journal;
    EXPECT_EQ(recovery_log_size(config).waiting_records, kWaiting);
    LogBench bench(config);
    const RecoveryLog& log = bench.life->log;
    bench.life->start(bench.life->trim(Lpn{0}, kTrims));
    bench.run(1);
    EXPECT_EQ(bench.life->trimmed, kWaiting) << "no time has passed";
    EXPECT_EQ(log.waiting().size(), kWaiting);
    EXPECT_FALSE(log.accepts()) << "nothing is shared meanwhile";
    while (log.counters().journal_pages < 1) {
        EXPECT_EQ(bench.life->trimmed, kWaiting);
        bench.run(1);
    }
    EXPECT_EQ(bench.life->trimmed, kWaiting + kRecordsPerPage);
    EXPECT_EQ(log.waiting().size(), kWaiting);
    bench.run();
    EXPECT_EQ(bench.life->trimmed, kTrims);
    EXPECT_LT(log.waiting().size(), kRecordsPerPage);
    EXPECT_TRUE(log.accepts());
}

/// TRIMs that are under way have places for their records.
TEST(RecoveryLog, TrimsUnderWayKeepThePlacesOfTheirRecords) {
    FirmwareConfig config = log_config(DedupProtection::none);
    config.recovery.trims = TrimPersistence::journal;
    LogBench bench(config);
    RecoveryLog& log = bench.life->log;
    bench.life->start(bench.life->trim(Lpn{0}, kWaiting - 4));
    bench.run(1);
    std::vector<std::uint64_t> begun;
    for (int i = 0; i < 6; ++i) {
        bench.life->start(bench.life->begin_trim(begun));
    }
    bench.run(1);
    ASSERT_EQ(begun.size(), 4U);
    for (const std::uint64_t trim : begun) {
        log.end_trim(trim, Lpn{0}, 1);
    }
    EXPECT_EQ(log.waiting().size(), kWaiting);
    begun.clear();
    bench.run();
    ASSERT_EQ(begun.size(), 2U) << "a page of records has been written";
    for (const std::uint64_t trim : begun) {
        log.end_trim(trim, Lpn{0}, 1);
    }
    EXPECT_EQ(log.counters().trim_records, kWaiting + 2);
}

/// No more page of the log can be written: TRIMs go on, and what they would record is not kept.
TEST(RecoveryLog, TrimsGoOnWhenItIsWornOut) {
    FirmwareConfig config = log_config(DedupProtection::none);
    config.recovery.trims = TrimPersistence::journal;
    LogBench bench(config);
    bench.flash.erase_failure = 1.0;
    bench.life->start(bench.life->trim(Lpn{0}, 10'000));
    bench.run();
    EXPECT_TRUE(bench.life->log.worn_out());
    EXPECT_EQ(bench.life->trimmed, 10'000U);
    EXPECT_EQ(bench.life->log.counters().trim_records, 10'000U);
    EXPECT_LE(bench.life->log.waiting().size(), kWaiting);
    EXPECT_TRUE(bench.life->log.pending());
    bool ok = true;
    bench.life->start(bench.life->persist(ok));
    bench.run();
    EXPECT_FALSE(ok) << "none of them is sure to survive";
}

/// A checkpoint of 33 pages, with 16 buffers: no more coroutines write it than there are buffers.
TEST(RecoveryLog, FewCoroutinesWriteALargeCheckpoint) {
    FirmwareConfig config = log_config(DedupProtection::none);
    config.flash.blocks = 64;
    config.dedup.shared_bytes = std::uint64_t{248} * 32 * DedupConfig::kSharedPageBytes;
    ASSERT_EQ(recovery_log_size(config).checkpoint_pages, 33U);
    LogBench bench(config);
    bench.life->executor.allow(1 + kLogJobs);
    bench.run();
    fill_until_checkpoint(bench);
    bench.run();
    EXPECT_EQ(bench.life->log.counters().checkpoint_pages, 33U);
    const Places known = bench.known();
    bool ok = false;
    bench.life->start(bench.life->persist(ok));
    bench.run();
    EXPECT_TRUE(ok);
    EXPECT_EQ(bench.cut(), known);
}

/// Random references and trims; power is cut at random events, also while the log is being read.
void survive(DedupProtection protection, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    FirmwareConfig config = log_config(protection);
    config.recovery.trims = TrimPersistence::journal;
    LogBench bench(config, seed);
    std::uint64_t checkpoints = 0;
    for (int cut = 0; cut < 60; ++cut) {
        std::set<std::uint32_t> trimmed;  // perhaps not durably
        const auto steps = static_cast<int>(random() % 400);
        for (int i = 0; i < steps; ++i) {
            const auto lpn = static_cast<std::uint32_t>(random() % kLpns);
            bool ok = false;
            const std::uint64_t pick = random() % 50;
            if (pick < 3) {
                bench.life->start(bench.life->trim(Lpn{lpn}));
                bench.run(1);
                trimmed.insert(lpn);
            } else if (pick < 4) {
                bench.life->start(bench.life->persist(ok));
                bench.run();
            } else {
                const std::uint64_t refused = bench.life->refused;
                bench.refer(lpn, 100 + static_cast<std::uint32_t>(random() % 12));
                if (bench.life->refused == refused) {
                    trimmed.erase(lpn);
                }
            }
            bench.run(random() % 8);
            if (!bench.life->log.pending()) {
                trimmed.clear();
            }
        }
        if (random() % 3 == 0) {
            fill_until_checkpoint(bench);
            bench.run(random() % 12);
        }
        checkpoints += bench.life->log.counters().checkpoints;
        Places known = bench.known();
        std::set<std::uint32_t> open = trimmed;
        for (const Lpn lpn : unwritten_references(bench.life->log)) {
            if (protection != DedupProtection::capacitor) {
                open.insert(lpn.value);
            }
        }
        Places found = bench.cut();
        for (const std::uint32_t lpn : open) {
            known.erase(lpn);
            found.erase(lpn);
        }
        ASSERT_EQ(found, known) << "cut " << cut;
        ASSERT_TRUE(bench.flash.violations.empty()) << bench.flash.violations.front();
    }
    EXPECT_GT(checkpoints, 0U);
}

class RecoveryLogCuts : public ::testing::TestWithParam<int> {};

TEST_P(RecoveryLogCuts, LoseNothingWithACapacitor) {
    survive(DedupProtection::capacitor, static_cast<std::uint64_t>(GetParam()));
}

TEST_P(RecoveryLogCuts, LoseThePredictedRecordsWithoutACapacitor) {
    survive(DedupProtection::none, static_cast<std::uint64_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecoveryLogCuts, ::testing::Range(1, 21));

}  // namespace
}  // namespace solidtlm::fw::testing
