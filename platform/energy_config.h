// SPDX-License-Identifier: Apache-2.0
//
// Supply currents and powers of a drive's parts, from data sheets. docs/energy.md gives the source of every
// default; a default without a source is 0.
#pragma once

#include <array>
#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"
#include "hw/sata/config.h"

namespace solidtlm::platform {

auto milliamperes(auto& key) {
    return key.number(0.0, 100'000.0, "mA");
}
auto volts(auto& key) {
    return key.number(0.0, 100.0, "V");
}
auto milliwatts(auto& key) {
    return key.number(0.0, 1e6, "mW");
}

/// Symbols of ONFI data sheets. Values: SimpleSSD 3.0, fil/config.cc (Gouk et al., Amber, MICRO 2018), for an
/// MLC part with pages of 16 KiB.
struct NandEnergyConfig {
    SOLIDTLM_KEYS(NandEnergyConfig);
    SOLIDTLM_KEY(double, vcc_v, 3.3, volts(key), "Supply of the dies (energy.md).");
    SOLIDTLM_KEY(double, read_ma, 25.0, milliamperes(key), "ICC1: of a plane while it reads a page.");
    SOLIDTLM_KEY(double, program_ma, 25.0, milliamperes(key), "ICC2: of a plane while it programs a page.");
    SOLIDTLM_KEY(double, erase_ma, 25.0, milliamperes(key), "ICC3: of a plane while it erases a block.");
    SOLIDTLM_KEY(double, burst_read_ma, 10.0, milliamperes(key), "ICC4R: of a die during data-out cycles.");
    SOLIDTLM_KEY(double, burst_write_ma, 10.0, milliamperes(key), "ICC4W: of a die during data-in cycles.");
    SOLIDTLM_KEY(double, standby_ma, 0.03, milliamperes(key), "ISB: of each die, always.");
};

/// Micron 2 Gb DDR3-1600 x16, die revision D, as DRAMPower has it (MICRON_2Gb_DDR3-1600_16bit_D). Refresh
/// interval: JEDEC JESD79-3F.
struct DramEnergyConfig {
    SOLIDTLM_KEYS(DramEnergyConfig);
    SOLIDTLM_KEY(double, vdd_v, 1.5, volts(key), "Supply of the DRAM.");
    SOLIDTLM_KEY(double, idd0_ma, 110.0, milliamperes(key),
                 "IDD0: one bank activates and precharges every t_rc.");
    SOLIDTLM_KEY(double, idd2n_ma, 42.0, milliamperes(key), "IDD2N: precharge standby.");
    SOLIDTLM_KEY(double, idd3n_ma, 45.0, milliamperes(key),
                 "IDD3N: active standby, which the DRAM always takes.");
    SOLIDTLM_KEY(double, idd4r_ma, 270.0, milliamperes(key), "IDD4R: burst read.");
    SOLIDTLM_KEY(double, idd4w_ma, 280.0, milliamperes(key), "IDD4W: burst write.");
    SOLIDTLM_KEY(double, idd5_ma, 215.0, milliamperes(key), "IDD5: burst refresh.");
    /// 38 clocks of 1.25 ns.
    SOLIDTLM_KEY(hal::Ps, t_rc, 47'500, key.duration(Ps{0}, 1ms),
                 "Activate to activate of one bank; IDD0 is the mean over this time.");
    /// 28 clocks.
    SOLIDTLM_KEY(hal::Ps, t_ras, 35'000, key.duration(Ps{0}, 1ms),
                 "Activate to precharge; at most t_rc counts.");
    /// 128 clocks.
    SOLIDTLM_KEY(hal::Ps, t_rfc, 160'000, key.duration(Ps{0}, 1ms), "Time of a refresh.");
    /// Up to 85 degrees Celsius.
    SOLIDTLM_KEY(hal::Ps, t_refi, 7'800'000, key.duration(Ps{1}, 1s), "Time from refresh to refresh.");
    SOLIDTLM_KEY_AS("device_size", std::uint64_t, device_bytes, 256ULL << 20U, key.size(1, 1024 * hal::kGiB),
                    "Capacity of a device: dram.size needs so many of them, each with standby and refresh.");
    SOLIDTLM_KEY(std::uint32_t, device_bus_bytes, 2, key.integer(1, 16, "bytes"),
                 "Data bus of a device: dram.bus_bytes needs so many of them at a time.");
};

/// Powers of a part that is either active or idle.
struct TwoPowers {
    double active_mw = 0.0;
    double idle_mw = 0.0;
};

struct LinkPowers : TwoPowers {
    std::array<double, hw::kLinkPowerStates> asleep_mw{};  ///< by power state, instead of idle_mw
};

/// Powers of the drive beyond its parts, by power mode of a SATA drive.
struct DevicePowers : TwoPowers {
    double standby_mw = 0.0;
};

struct EnergyConfig {
    SOLIDTLM_KEYS(EnergyConfig);
    SOLIDTLM_KEY_TABLE(NandEnergyConfig, nand);
    SOLIDTLM_KEY_TABLE(DramEnergyConfig, dram);
    SOLIDTLM_KEY_OF(
        "link.active_mw", [](auto& energy) -> auto& { return energy.link.active_mw; }, milliwatts(key),
        "Link of the device while a frame is on the wire. No source: 0.");
    SOLIDTLM_KEY_OF(
        "link.idle_mw", [](auto& energy) -> auto& { return energy.link.idle_mw; }, milliwatts(key),
        "The same while none is. No source: 0.");
    SOLIDTLM_KEY_OF(
        "link.partial_mw", [](auto& energy) -> auto& { return energy.link.asleep_mw[0]; }, milliwatts(key),
        "The same in Partial. No source: 0.");
    SOLIDTLM_KEY_OF(
        "link.slumber_mw", [](auto& energy) -> auto& { return energy.link.asleep_mw[1]; }, milliwatts(key),
        "The same in Slumber. No source: 0.");
    SOLIDTLM_KEY_OF(
        "link.devsleep_mw", [](auto& energy) -> auto& { return energy.link.asleep_mw[2]; }, milliwatts(key),
        "The same in DevSleep. No source: 0.");
    SOLIDTLM_KEY_OF(
        "core.active_mw", [](auto& energy) -> auto& { return energy.core.active_mw; }, milliwatts(key),
        "Firmware core while it works. No source: 0.");
    SOLIDTLM_KEY_OF(
        "core.idle_mw", [](auto& energy) -> auto& { return energy.core.idle_mw; }, milliwatts(key),
        "The same while it does not. No source: 0.");
    SOLIDTLM_KEY_OF(
        "device.active_mw", [](auto& energy) -> auto& { return energy.device.active_mw; }, milliwatts(key),
        "What the drive takes beyond its parts, such as supplies, unless it is in Idle or deeper. No source: "
        "0.");
    SOLIDTLM_KEY_OF(
        "device.idle_mw", [](auto& energy) -> auto& { return energy.device.idle_mw; }, milliwatts(key),
        "The same in Idle, a power mode of SATA drives. No source: 0.");
    SOLIDTLM_KEY_OF(
        "device.standby_mw", [](auto& energy) -> auto& { return energy.device.standby_mw; }, milliwatts(key),
        "The same in Standby and Sleep. No source: 0.");
    LinkPowers link;
    TwoPowers core;
    DevicePowers device;
};

}  // namespace solidtlm::platform
