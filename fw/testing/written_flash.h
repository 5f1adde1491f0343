// SPDX-License-Identifier: Apache-2.0
//
// Flash of the tiny drive whose contents identify their place.
#pragma once

#include <cstring>
#include <vector>

#include "fw/flash/program_op.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"

namespace solidtlm::fw::testing {

/// The tiny drive with flash that programs this many pages of a word line at once.
inline FirmwareConfig by_word_lines(std::uint32_t pages) {
    FirmwareConfig config = tiny_config();
    config.flash.pages *= pages;
    config.flash.pages_per_program = pages;
    export_everything(config);
    return config;
}

/// Flash whose first superpages hold units named by their own number; each sector holds a different identity.
class WrittenFlash {
  public:
    static constexpr std::uint32_t kSuperpages =
        6;  ///< superpages written in the first superblock of each parallel unit

    explicit WrittenFlash(std::uint32_t pages_per_program = 1) : config(by_word_lines(pages_per_program)) {
        const std::uint32_t per_superpage = layout.units_per_superpage();
        for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
            for (std::uint32_t page = 0; page < kSuperpages; ++page) {
                const SuperpageAddress at{Pu{pu}, Superblock{0}, page};
                std::vector<UnitWrite> units(per_superpage);
                for (std::uint32_t slot = 0; slot < per_superpage; ++slot) {
                    const Ppa place = layout.ppa(at, slot);
                    written.push_back(place);
                    units[slot] =
                        UnitWrite{Lpn{place.value}, DramAddress{std::uint64_t{slot} * layout.unit_bytes()}};
                    for (std::uint32_t sector = 0; sector < layout.sectors_per_unit(); ++sector) {
                        put(units[slot].dram, sector, identity(place, sector));
                    }
                }
                ProgramOp program;
                program.prepare(services, at, units, SpareHeader{1, PageKind::host, 0}, Cause::host);
                program.op().done = hal::Completion{[](void* /*context*/) {}, nullptr};
                flash.submit(program.op());
                run();
            }
        }
    }
    void run() {
        while (clock.run_one()) {
        }
    }
    static std::uint64_t identity(Ppa place, std::uint32_t sector) { return place.value * 100 + sector + 1; }
    void put(DramAddress at, std::uint32_t sector, std::uint64_t value) {
        std::memcpy(dram_content(at, sector), &value, sizeof value);
    }
    std::uint64_t get(DramAddress at, std::uint32_t sector) {
        std::uint64_t value = 0;
        std::memcpy(&value, dram_content(at, sector), sizeof value);
        return value;
    }
    /// The page of flash that a unit lies on.
    [[nodiscard]] hal::FlashAddress page_of(Ppa place) const {
        return layout.address(layout.superpage_of(place), layout.page_of(layout.slot_of(place)));
    }

    FirmwareConfig config;
    FakeClock clock;
    FakeDram dram{std::uint64_t{1} << 20U, config.content};
    FakeFlash flash{config, clock, dram, 1};
    Executor executor{clock};
    FakeCore core{clock, executor};
    MediaLayout layout = media_layout(config);
    Services services{config, executor, &flash, &dram, layout};
    std::vector<Ppa> written;

  private:
    std::byte* dram_content(DramAddress at, std::uint32_t sector) {
        return dram.content(DramAddress{at.value + std::uint64_t{sector} * hal::kSectorBytes});
    }
};

}  // namespace solidtlm::fw::testing
