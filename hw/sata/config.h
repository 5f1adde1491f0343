// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

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

/// The configuration of link and device.
struct SataConfig {
    SataGeneration generation = SataGeneration::gen3;
    std::uint32_t turnaround_dwords =
        95;                      ///< X_RDY/R_RDY, WTRM/R_OK, SYNC and PHY latency of each FIS, dword times
    hal::Ps turnaround_time{0};  ///< and the time of each FIS that does not change with the speed
    /// By kLinkPowerNames, from the lightest on. The times are the longest that the standard allows: Partial
    /// and Slumber, clause 8; DevSleep, the default of DETO.
    std::array<LinkPowerState, kLinkPowerStates> power{LinkPowerState{.exit = std::chrono::microseconds(10)},
                                                       LinkPowerState{.exit = std::chrono::milliseconds(10)},
                                                       LinkPowerState{.exit = std::chrono::milliseconds(20)}};
    std::uint32_t queue_depth = 32;        ///< NCQ tags, 1-32 (IDENTIFY word 75)
    bool auto_activate = true;             ///< DMA Setup auto-activate for writes (IDENTIFY word 78 bit 2)
    std::uint32_t max_dsm_blocks = 8;      ///< 512-byte blocks a DATA SET MANAGEMENT may carry (word 105)
    bool deterministic_after_trim = true;  ///< DRAT, word 69 bit 14
    bool zeros_after_trim = true;          ///< RZAT, word 69 bit 5; needs DRAT
    bool write_cache = true;               ///< power-on state of the volatile write cache
    std::uint32_t physical_sector_bytes = 4096;  ///< as reported (word 106): 512 times a power of two
    std::uint32_t coalesce_completions =
        1;  ///< completions one Set Device Bits FIS may carry when they pile up
    std::string model = "SolidTLM SATA SSD";
    std::string serial = "STLM0001";
    std::string firmware_revision = "0.2.0";
    std::uint64_t exported_sectors = 0;  ///< capacity; set by the platform
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::hw
