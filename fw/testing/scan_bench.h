// SPDX-License-Identifier: Apache-2.0
//
// Flash laid out superpage by superpage, and a boot that scans it; no other firmware.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fw/dedup/deduplicator.h"
#include "fw/dedup/found_sharing.h"
#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/log/media_scan.h"
#include "fw/needs.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// One parallel unit of two planes with 16 blocks of 8 pages of 2 units, some of them for the recovery log;
/// `blocks` virtual blocks.
inline FirmwareConfig shared_config(std::uint32_t blocks) {
    FirmwareConfig config = tiny_config();
    config.flash.channels = 1;
    config.flash.dies = 1;
    config.dedup.system = dedup_system("online");
    config.dedup.shared_bytes = std::uint64_t{blocks} * DedupConfig::kSharedPageBytes;
    config.dedup.table_bytes = 4096;
    export_everything(config);
    config.exported_sectors = std::uint64_t{32} * 8;
    return config;
}

/// A virtual block that is in use.
struct FoundShared {
    VirtualBlock block;
    Ppa place;
};

class ScanBench {
  public:
    explicit ScanBench(const FirmwareConfig& configuration)
        : config(configuration),
          dram(Firmware::dram_bytes(config), config.content),
          flash(config, clock, dram, 1),
          layout(media_layout(config, flash)) {}

    /// The names in the spare areas of a superpage.
    using Names = std::array<Lpn, 4>;

    void program(const SuperpageAddress& at, std::uint64_t sequence, const Names& names) {
        std::array<UnitWrite, 4> units;
        for (std::size_t i = 0; i < units.size(); ++i) {
            units[i].lpn = names[i];
        }
        ProgramOp program;
        run([&](Services& services) {
            program.prepare(services, at, units, SpareHeader{sequence, PageKind::host, 0}, Cause::host);
            return execute(services, program.op());
        });
    }
    void erase(const SuperpageAddress& at) {
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::erase, at, Cause::gc);
        run([&op](Services& services) { return execute(services, op); });
    }
    /// Calls `look` with the result of a boot with `log`. `since`: see MediaScan.
    template <class Look>
    void boot(const LogContent& log, std::uint64_t since, const Look& look) {
        run([&](Services& services) { return scan(services, log, since, look); });
    }

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram;
    FakeFlash flash;
    MediaLayout layout;
    std::vector<FoundShared> shared;  // by the last boot

  private:
    static Task<void> execute(Services& services, hal::FlashOp& op) {
        FlashAwaiter done(services, op);
        static_cast<void>(co_await done);
    }
    template <class Look>
    Task<void> scan(Services& services, const LogContent& log, std::uint64_t since, const Look& look) {
        std::optional<FoundSharing> found;
        if (config.dedup.any()) {
            found.emplace(config.dedup.shared_pages(), layout.exported_units());
        }
        MediaScan scan(services, since, found ? &*found : nullptr);
        co_await scan.run();
        scan.add(log);
        shared.clear();
        for (VirtualBlock block; block.value < config.dedup.shared_pages(); ++block) {
            if (found->place(block) != kUnmapped) {
                shared.push_back({block, found->place(block)});
            }
        }
        look(std::as_const(scan));
    }
    /// Runs the task that `make` makes, and all work that follows from it, on a separate core.
    template <class Make>
    void run(const Make& make) {
        Executor executor(clock);
        Services services{config, executor, &flash, &dram, layout};
        executor.spawn(make(services));
        do {
            for (hal::Slice slice = executor.step(); !slice.idle; slice = executor.step()) {
            }
        } while (clock.run_one());
    }
};

}  // namespace solidtlm::fw::testing
