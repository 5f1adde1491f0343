// SPDX-License-Identifier: Apache-2.0
//
// Supply currents and powers of a drive's parts, from data sheets. docs/energy.md gives the source of every
// default; a default without a source is 0.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/types.h"
#include "hw/sata/config.h"

namespace solidtlm::platform {

/// Symbols of ONFI data sheets. Values: SimpleSSD 3.0, fil/config.cc (Gouk et al., Amber, MICRO 2018), for an
/// MLC part with pages of 16 KiB.
struct NandEnergyConfig {
    double vcc_v = 3.3;
    double read_ma = 25.0;         ///< ICC1, of one plane
    double program_ma = 25.0;      ///< ICC2, of one plane
    double erase_ma = 25.0;        ///< ICC3, of one plane
    double burst_read_ma = 10.0;   ///< ICC4R, of the die that drives the bus
    double burst_write_ma = 10.0;  ///< ICC4W, of the die that takes the data
    double standby_ma = 0.03;      ///< ISB, of each die
};

/// Micron 2 Gb DDR3-1600 x16, die revision D, as DRAMPower has it (MICRON_2Gb_DDR3-1600_16bit_D). Refresh
/// interval: JEDEC JESD79-3F.
struct DramEnergyConfig {
    double vdd_v = 1.5;
    double idd0_ma = 110.0;
    double idd2n_ma = 42.0;
    double idd3n_ma = 45.0;
    double idd4r_ma = 270.0;
    double idd4w_ma = 280.0;
    double idd5_ma = 215.0;
    hal::Ps t_rc{47'500};       ///< 38 clocks of 1.25 ns
    hal::Ps t_ras{35'000};      ///< 28 clocks
    hal::Ps t_rfc{160'000};     ///< 128 clocks
    hal::Ps t_refi{7'800'000};  ///< up to 85 degrees Celsius
    std::uint64_t device_bytes = 256ULL << 20U;
    std::uint32_t device_bus_bytes = 2;
};

/// Powers of a part that is either active or idle.
struct TwoPowers {
    double active_mw = 0.0;
    double idle_mw = 0.0;
};

struct LinkPowers : TwoPowers {
    std::array<double, hw::kLinkPowerStates> asleep_mw{};  ///< by power state, instead of idle_mw
};

struct EnergyConfig {
    NandEnergyConfig nand;
    DramEnergyConfig dram;
    LinkPowers link;
    TwoPowers core;
};

}  // namespace solidtlm::platform
