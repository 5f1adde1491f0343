// SPDX-License-Identifier: Apache-2.0
//
// A map cache by itself, on fake hardware: only lookups and updates reach it.
#pragma once

#include <memory>
#include <vector>

#include "fw/flash/superblock_table.h"
#include "fw/map_cache/map_cache.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"

namespace solidtlm::fw::testing {

class MapBench : private MapListener {
  public:
    explicit MapBench(const FirmwareConfig& configuration)
        : config(configuration),
          dram(Firmware::dram_bytes(config), config.content),
          flash(config, clock, dram, 1),
          executor(clock),
          core(clock, executor),
          layout(media_layout(config, flash)),
          services{config, executor, &flash, &dram, layout},
          table(layout, true),
          progress(executor, "progress"),
          allocator(services, table, progress),
          map(make_map_cache(services, dram_map(config, layout), allocator)),
          shadow(layout.exported_units(), kUnmapped) {
        map->start();
    }
    ~MapBench() override { executor.shut_down(); }

    /// Runs `task` and all work that follows from it.
    void run(Task<void> task) {
        executor.spawn(std::move(task));
        core.wake();
        while (clock.run_one()) {
        }
    }
    Task<void> read(Lpn lpn) {
        Ppa found = kUnmapped;
        Charge charge;
        co_await map->lookup(lpn, std::span(&found, 1), nullptr, charge);
        co_await executor.spend(charge, 0);
        wrong += found != shadow[lpn.value] ? 1 : 0;
    }
    Task<void> write(Lpn lpn, Ppa to) {
        MapUpdate update{lpn, to};
        Charge charge;
        co_await map->update(std::span(&update, 1), *this, Cause::host, nullptr, charge);
    }
    /// Data collection moves a unit, if it is still at `from`.
    Task<void> move(std::vector<MapUpdate> updates) {
        Charge charge;
        co_await map->update(updates, *this, Cause::gc, nullptr, charge);
    }

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram;
    FakeFlash flash;
    Executor executor;
    FakeCore core;
    MediaLayout layout;
    Services services;
    SuperblockTable table;
    Signal progress;
    Allocator allocator;
    std::unique_ptr<MapCache> map;
    std::vector<Ppa> shadow;  ///< the whole table
    std::uint64_t wrong = 0;  ///< answers that differed from the shadow's

  private:
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& /*charge*/) override {
        for (const MapUpdate& update : updates) {
            wrong += update.previous != shadow[update.lpn.value] ? 1 : 0;
            shadow[update.lpn.value] = update.fresh;
        }
    }
};

}  // namespace solidtlm::fw::testing
