// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Speed of the link: 1.5, 3 or 6 Gb/s. Ideal: a frame takes no time, and the device reports 6 Gb/s.
enum class SataGeneration : std::uint8_t { gen1 = 1, gen2 = 2, gen3 = 3, ideal = 4 };

/// A state in which the idle link saves power.
struct LinkPowerState {
    hal::Ps after{0};  ///< after this time without a frame and without an outstanding command; 0: the state
                       ///< is not used
    hal::Ps exit{0};   ///< from the first wish to send until the link is up

    [[nodiscard]] bool used() const { return after > hal::Ps{0}; }
};
constexpr std::size_t kLinkPowerStates = 3;
constexpr std::array<std::string_view, kLinkPowerStates> kLinkPowerNames{"partial", "slumber", "devsleep"};

/// A power mode of the device, Idle or Standby.
struct PowerModeTimes {
    hal::Ps entry{0};  ///< from the command, or the end of the Standby timer's flush, until it is reached
    hal::Ps exit{0};   ///< until flash can be used again
};

/// The configuration of link and device.
struct SataConfig {
    SOLIDTLM_KEYS(SataConfig);
    SOLIDTLM_KEY(SataGeneration, generation, SataGeneration::gen3,
                 key.enumerator({"gen1", "gen2", "gen3", "ideal"}, SataGeneration::gen1),
                 "1.5, 3 or 6 Gb/s; ideal: frames take no time, everything else is as with gen3. To see what "
                 "lies behind the link.");
    SOLIDTLM_KEY(std::uint32_t, turnaround_dwords, 95, key.integer(0, 10'000, "dwords"),
                 "X_RDY/R_RDY, WTRM/R_OK, SYNC and PHY latency of each FIS.");
    SOLIDTLM_KEY(hal::Ps, turnaround_time, 0, key.duration(Ps{0}, 1s),
                 "What of it does not change with the speed of the link; added to the dwords.");
    SOLIDTLM_KEY(std::uint32_t, queue_depth, 32, key.integer(1, 32), "NCQ tags (IDENTIFY word 75).");
    SOLIDTLM_KEY(bool, auto_activate, true, key.boolean(),
                 "DMA Setup auto-activate for writes (IDENTIFY word 78 bit 2).");
    SOLIDTLM_KEY(std::uint32_t, max_dsm_blocks, 8, key.integer(1, 65'535),
                 "512-byte blocks a DATA SET MANAGEMENT command may carry (IDENTIFY word 105).");
    SOLIDTLM_KEY(bool, deterministic_after_trim, true, key.boolean(),
                 "DRAT: a trimmed sector always reads the same (IDENTIFY word 69 bit 14).");
    SOLIDTLM_KEY(
        bool, zeros_after_trim, true, key.boolean(),
        "RZAT: a trimmed sector reads zeros (IDENTIFY word 69 bit 5); needs deterministic_after_trim.");
    SOLIDTLM_KEY(bool, write_cache, true, key.boolean(), "Power-on state of the volatile write cache.");
    SOLIDTLM_KEY(std::uint32_t, coalesce_completions, 1, key.integer(1, 32),
                 "Completions one Set Device Bits FIS may carry when they pile up.");
    SOLIDTLM_KEY_AS("physical_sector_size", std::uint32_t, physical_sector_bytes, 4096,
                    key.size(512, 16 * hal::kMiB),
                    "Physical sector as reported (IDENTIFY word 106): 512 bytes times a power of two.");
    SOLIDTLM_KEY(std::string, model, "SolidTLM SATA SSD", key.printable(1, 40), "IDENTIFY words 27-46.");
    SOLIDTLM_KEY(std::string, serial, "STLM0001", key.printable(1, 20), "IDENTIFY words 10-19.");
    SOLIDTLM_KEY(std::string, firmware_revision, "0.2.0", key.printable(1, 8), "IDENTIFY words 23-26.");
    SOLIDTLM_KEY_OF(
        "power.partial_after", [](auto& sata) -> auto& { return sata.power[0].after; },
        key.duration(Ps{0}, 100s),
        "The link enters Partial when no command is outstanding and no frame has come for so long; 0: "
        "never.");
    SOLIDTLM_KEY_OF(
        "power.slumber_after", [](auto& sata) -> auto& { return sata.power[1].after; },
        key.duration(Ps{0}, 100s), "The same for Slumber; 0: never. Deeper states begin later.");
    SOLIDTLM_KEY_OF(
        "power.devsleep_after", [](auto& sata) -> auto& { return sata.power[2].after; },
        key.duration(Ps{0}, 100s), "The same for DevSleep; 0: never.");
    SOLIDTLM_KEY_OF(
        "power.partial_exit", [](auto& sata) -> auto& { return sata.power[0].exit; }, key.duration(Ps{0}, 1s),
        "Until the link is up again; the standard allows 10 us.");
    SOLIDTLM_KEY_OF(
        "power.slumber_exit", [](auto& sata) -> auto& { return sata.power[1].exit; }, key.duration(Ps{0}, 1s),
        "The same for Slumber; the standard allows 10 ms.");
    SOLIDTLM_KEY_OF(
        "power.devsleep_exit", [](auto& sata) -> auto& { return sata.power[2].exit; },
        key.duration(Ps{0}, 1s), "The same for DevSleep (DETO; 20 ms unless the drive says otherwise).");
    SOLIDTLM_KEY_OF(
        "power.idle_entry", [](auto& sata) -> auto& { return sata.idle.entry; }, key.duration(Ps{0}, 100s),
        "Until a drive that is told to has reached Idle; it cannot leave it earlier. No source: 0.");
    SOLIDTLM_KEY_OF(
        "power.idle_exit", [](auto& sata) -> auto& { return sata.idle.exit; }, key.duration(Ps{0}, 100s),
        "Until a drive in Idle carries out a command that needs the flash. No source: 0.");
    SOLIDTLM_KEY_OF(
        "power.standby_entry", [](auto& sata) -> auto& { return sata.standby.entry; },
        key.duration(Ps{0}, 100s),
        "Until a drive has reached Standby or Sleep after its cache was written. No source: 0.");
    SOLIDTLM_KEY_OF(
        "power.standby_exit", [](auto& sata) -> auto& { return sata.standby.exit; },
        key.duration(Ps{0}, 100s),
        "Until a drive in Standby or Sleep carries out a command that needs the flash. No source: 0.");
    /// By kLinkPowerNames, from the lightest on. The times are the longest that the standard allows: Partial
    /// and Slumber, clause 8; DevSleep, the default of DETO.
    std::array<LinkPowerState, kLinkPowerStates> power{LinkPowerState{.exit = std::chrono::microseconds(10)},
                                                       LinkPowerState{.exit = std::chrono::milliseconds(10)},
                                                       LinkPowerState{.exit = std::chrono::milliseconds(20)}};
    PowerModeTimes idle;                 ///< of the drive; the link has its own times
    PowerModeTimes standby;              ///< and Sleep
    std::uint64_t exported_sectors = 0;  ///< capacity; set by the platform
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::hw
