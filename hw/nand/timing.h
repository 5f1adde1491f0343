// SPDX-License-Identifier: Apache-2.0
//
// Bus cycles of NAND operations: from a timing mode to the time of every command, address, data and status
// phase (ONFI 4.0 chapters 4 and 5; SDR and NV-DDR values as in the Linux kernel's nand_timings.c).
//
// A phase ends when the bus may serve another operation. The phases that start the array include tWB: the
// controller keeps the target selected until R/B# has fallen.
#pragma once

#include <cstdint>

#include "fw/hal/types.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// Highest timing mode of an interface (0 for byte_time).
[[nodiscard]] std::uint32_t max_timing_mode(NandInterface interface);

/// Parameters of one bus. Ps unless said otherwise.
struct BusTiming {
    static constexpr std::uint32_t kColumnCycles = 2;
    static constexpr std::uint32_t kRowCycles = 3;
    static constexpr std::uint32_t kFeatureBytes = 4;
    static constexpr std::uint32_t kAddressCycles = kColumnCycles + kRowCycles;

    Ps command_cycle{0};           ///< tWC; NV-DDR: tCAD
    Ps address_cycle{0};           ///< tWC; NV-DDR: tCAD
    std::int64_t byte_in_fs = 0;   ///< femtoseconds per byte: data rates such as 1200 MT/s are no whole ps
    std::int64_t byte_out_fs = 0;  ///< femtoseconds per byte
    std::uint32_t granule = 1;     ///< DDR moves bytes in pairs
    Ps in_overhead{0};             ///< strobe pre- and postamble of a data-in burst
    Ps out_overhead{0};            ///< the same of a data-out burst, with the strobe's access time
    Ps t_adl{0};                   ///< address to data in
    Ps t_wb{0};                    ///< confirm to R/B# low
    Ps t_whr{0};                   ///< command to data out
    Ps t_rhw{0};                   ///< data out to command
    Ps t_rr{0};                    ///< R/B# high to data out
    Ps t_ccs{0};                   ///< column change to data

    [[nodiscard]] Ps cycles(std::uint32_t commands, std::uint32_t addresses) const {
        return commands * command_cycle + addresses * address_cycle;
    }
    /// A burst of `bytes` (at least 1).
    [[nodiscard]] Ps data_in(std::uint32_t bytes) const { return in_overhead + stream(bytes, byte_in_fs); }
    [[nodiscard]] Ps data_out(std::uint32_t bytes) const { return out_overhead + stream(bytes, byte_out_fs); }

    /// 00h-5A-30h, ...-32h (further planes follow) or ...-35h (copy-back).
    [[nodiscard]] Ps read_command() const { return cycles(2, kAddressCycles) + t_wb; }
    /// 80h-5A (or 85h-5A of a copy-back), without tADL.
    [[nodiscard]] Ps program_address() const { return cycles(1, kAddressCycles); }
    /// 10h or 11h.
    [[nodiscard]] Ps program_confirm() const { return cycles(1, 0) + t_wb; }
    /// 85h-2A within a program, up to the first data byte.
    [[nodiscard]] Ps column_change_in() const { return cycles(1, kColumnCycles) + t_ccs; }
    /// 05h-2A-E0h after data out, up to the next data.
    [[nodiscard]] Ps column_change_out() const { return t_rhw + cycles(2, kColumnCycles) + t_ccs; }
    /// 06h-5A-E0h: selects a die and plane for data out.
    [[nodiscard]] Ps plane_select_out() const { return cycles(2, kAddressCycles) + t_ccs; }
    /// 60h-3A per plane, then D0h.
    [[nodiscard]] Ps erase_command(std::uint32_t planes) const {
        return cycles(planes + 1, planes * kRowCycles) + t_wb;
    }
    /// 70h, or 78h-3A when dies share a chip enable, and the status byte.
    [[nodiscard]] Ps status(bool enhanced) const {
        return cycles(1, enhanced ? kRowCycles : 0) + t_whr + data_out(1);
    }
    /// EFh-1A-4 bytes (each of them twice on a DDR bus).
    [[nodiscard]] Ps set_features_command() const {
        return cycles(1, 1) + t_adl + data_in(kFeatureBytes * granule) + t_wb;
    }
    /// Suspend and resume are vendor commands: one command cycle with the row address.
    [[nodiscard]] Ps suspend_command() const { return cycles(1, kRowCycles) + t_wb; }

  private:
    [[nodiscard]] Ps stream(std::uint32_t bytes, std::int64_t byte_fs) const {
        const std::int64_t moved = std::int64_t{bytes} + (granule - bytes % granule) % granule;
        return Ps{(moved * byte_fs + 500) / 1000};
    }
};

/// REQUIRES: bus.mode <= max_timing_mode(bus.interface).
[[nodiscard]] BusTiming make_bus_timing(const NandBusConfig& bus);

}  // namespace solidtlm::hw
