// SPDX-License-Identifier: Apache-2.0
//
// For tests of collection: one die, a host that programs superpages, and an owner of pages with a simple map.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "fw/buffer/needs.h"
#include "fw/drive/host_activity.h"
#include "fw/flash/carry_out.h"
#include "fw/flash/needs.h"
#include "fw/flash/program_op.h"
#include "fw/gc/collector.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"

namespace solidtlm::fw::testing {

constexpr Pu kPu{0};
constexpr std::uint32_t kPages = 8;   ///< of a superblock, which is one block
constexpr std::uint32_t kUnits = 16;  ///< of a superblock: two per page
constexpr std::uint32_t kBlocks = 16;

/// One die of 16 blocks.
inline FirmwareConfig one_die(const GcConfig& gc) {
    FirmwareConfig config = tiny_config();
    config.flash = FlashLayout{1, 1, 1, 1, kBlocks, kPages, 8192};
    config.exported_sectors = 8;
    config.gc = gc;
    return config;
}

/// Opens a superblock and closes it again, with its first `valid` units valid.
inline void fill_superblock(const MediaLayout& layout, SuperblockTable& table, Pu pu, std::uint32_t valid) {
    const Superblock superblock = *table.open(pu);
    const Ppa first = layout.ppa(SuperpageAddress{pu, superblock, 0}, 0);
    for (std::uint32_t unit = 0; unit < valid; ++unit) {
        table.mark_valid(Ppa{first.value + unit});
    }
    for (std::uint32_t page = 0; page < layout.pages(); ++page) {
        table.begin_program(table.index(pu, superblock));
        table.end_program(table.index(pu, superblock), true);
    }
}

inline GcConfig aiming_at(std::uint32_t free_superblocks, GcPacing pacing) {
    GcConfig gc;
    gc.background_threshold = free_superblocks;
    gc.pacing = pacing;
    return gc;
}

/// The owner of the pages: a map in its own table, in which every unit may be moved.
class PageOwner : public Relocator {
  public:
    explicit PageOwner(Executor& executor) : executor_(executor) {}

    bool check_names(std::span<Lpn> names) const override {
        return std::ranges::all_of(names, [this](Lpn name) { return places.contains(name.value); });
    }
    void keep_wanted(std::span<MovedRun> runs, bool /*noted*/) const override {
        for (MovedRun& run : runs) {
            MovedRun::for_each(run.keep, [&](std::uint32_t unit) {
                if (being_written.contains(run.names[unit].value)) {
                    run.drop(unit);
                }
            });
        }
    }
    [[nodiscard]] bool must_note(std::span<const MovedRun> /*runs*/) const override { return false; }
    Task<bool> note() override { co_return true; }
    [[nodiscard]] bool wants_order() const override { return false; }
    Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, hal::Cause cause,
                     Charge& charge) override {
        for (MapUpdate& update : updates) {
            Ppa& place = places.at(update.lpn.value);
            if (place == update.expected) {
                update.previous = place;
                place = update.fresh;
                listener.applied(std::span(&update, 1), charge);
            }
        }
        co_await executor_.spend(charge, 0, nullptr, cause);
    }
    void moved(std::span<const MapUpdate> /*updates*/) override {}
    Task<bool> may_erase() override { co_return true; }
    [[nodiscard]] std::uint64_t superpages_to_come() const override { return 0; }

    std::map<std::uint32_t, Ppa> places;
    std::set<std::uint32_t> being_written;

  private:
    Executor& executor_;
};

class GcBench {
  public:
    explicit GcBench(const GcConfig& gc) : GcBench(one_die(gc)) {}
    explicit GcBench(const FirmwareConfig& one) : config(one) { services.modes = &table; }
    ~GcBench() { executor.shut_down(); }

    void start() { run(started()); }
    /// Runs `task` and all work that follows from it.
    void run(Task<void> task) {
        executor.spawn(std::move(task));
        core.wake();
        while (clock.run_one()) {
        }
    }
    /// The host writes a superpage of new names, and collection runs until it is idle.
    void write() { run(program({Lpn{next_}, Lpn{next_ + 1}})); }
    /// Fills superblocks, then invalidates all but the first `valid` of their 16 units.
    void fill(std::uint32_t superblocks, std::uint32_t valid) {
        for (std::uint32_t i = 0; i < superblocks * kPages; ++i) {
            write();
        }
        std::vector<std::uint32_t> gone;
        for (const auto& [name, place] : owner.places) {
            if (place.value % kUnits >= valid) {
                gone.push_back(name);
            }
        }
        for (const std::uint32_t name : gone) {
            table.mark_invalid(owner.places.at(name));
            owner.places.erase(name);
        }
    }
    /// As many superpages as the names need.
    Task<void> program(std::vector<Lpn> all) {
        std::optional<Allocator::Reservation> reservation = allocator.reserve(kPu);
        while (!reservation) {
            co_await progress.wait();
            reservation = allocator.reserve(kPu);
        }
        const std::size_t most = std::min<std::size_t>(reservation->units(), all.size());
        const std::vector<Lpn> names(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
        const std::vector<Lpn> others(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
        const std::optional<SuperpageAddress> at = reservation->place();
        std::vector<UnitWrite> units;
        for (const Lpn name : names) {
            units.push_back(UnitWrite{name, dram_map(config, layout)[kWriteBuffer]});
            owner.being_written.insert(name.value);
            next_ = std::max(next_, name.value + 1);
        }
        ProgramOp program;
        const SpareHeader header{allocator.next_sequence(), PageKind::host,
                                 table.info(at->pu, at->superblock).erases};
        units.resize(reservation->units());
        program.prepare(services, *at, units, header, Cause::host);
        const hal::FlashStatus status = co_await carry_out(services, program.op(), Cause::host);
        EXPECT_EQ(status, hal::FlashStatus::ok);
        for (std::uint32_t slot = 0; slot < names.size(); ++slot) {
            const auto [place, fresh] = owner.places.try_emplace(names[slot].value);
            if (!fresh) {
                table.mark_invalid(place->second);
            }
            place->second = layout.ppa(*at, slot);
            table.mark_valid(place->second);
            owner.being_written.erase(names[slot].value);
        }
        reservation->settle(hal::FlashStatus::ok);
        collector.kick(kPu);
        collector.revisit_deferred_victims();
        if (!others.empty()) {
            co_await this->program(others);
        }
    }
    /// Checks that every name lies where the map says, and that no other unit is valid.
    void check() const {
        std::uint64_t valid = 0;
        for (std::uint32_t i = 0; i < kBlocks; ++i) {
            valid += table.info(kPu, Superblock{i}).valid;
        }
        EXPECT_EQ(valid, owner.places.size());
        for (const auto& [name, place] : owner.places) {
            EXPECT_TRUE(table.is_valid(place)) << "of name " << name;
        }
    }
    [[nodiscard]] double moved_superpages() const {
        return static_cast<double>(collector.counters().moved_units) / layout.units_per_superpage();
    }
    [[nodiscard]] std::uint32_t free() const { return table.free_count(kPu); }

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram{Firmware::dram_bytes(config), config.content};
    FakeFlash flash{config, clock, dram, 1};
    Executor executor{clock};
    FakeCore core{clock, executor};
    MediaLayout layout = media_layout(config, flash);
    Alarms alarms{executor, clock};
    HostActivity activity{executor, alarms, std::chrono::milliseconds(10)};
    Services services{config, executor, &flash, &dram, layout, nullptr, nullptr, nullptr, &activity, &alarms};
    SuperblockTable table{layout, true};
    Signal progress{executor, "progress"};
    Allocator allocator{services, table, progress};
    PageOwner owner{executor};
    GarbageCollector collector{services, table, allocator, owner, dram_map(config, layout)[kMovedPages]};

  private:
    Task<void> started() {
        collector.start();
        co_return;
    }
    std::uint32_t next_ = 0;
};

}  // namespace solidtlm::fw::testing
