// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/timing.h"

#include <array>
#include <systemc>

namespace solidtlm::hw {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kFsPerNs = 1'000'000;

// Values of the ONFI tables of the current standard; parts often need less (70 and 300 ns).
constexpr Ps kAdl = 400ns;
constexpr Ps kCcs = 500ns;

/// Asynchronous interface, ns.
struct SdrMode {
    std::int64_t t_wc, t_rc, t_rr, t_wb, t_whr, t_rhw;
};
constexpr std::array<SdrMode, 6> kSdr{{{100, 100, 40, 200, 120, 200},
                                       {45, 50, 20, 100, 80, 100},
                                       {35, 35, 20, 100, 80, 100},
                                       {30, 30, 20, 100, 80, 100},
                                       {25, 25, 20, 100, 80, 100},
                                       {20, 20, 20, 100, 80, 100}}};

/// NV-DDR clock period tCK, ns; two bytes per period.
constexpr std::array<std::int64_t, 6> kNvDdrClock{50, 30, 20, 15, 12, 10};

/// Strobe period tDSC = tRC of NV-DDR2 (modes 0-9) and NV-DDR3 (modes 0-12), fs; two bytes per period. 67,
/// 80, 133, 167, 200, 267, 333, 400, 533, 667, 800, 1066 and 1200 MT/s.
constexpr std::array<std::int64_t, 13> kStrobePeriodFs{
    30 * kFsPerNs, 25 * kFsPerNs, 15 * kFsPerNs, 12 * kFsPerNs, 10 * kFsPerNs, 7'500'000, 6 * kFsPerNs,
    5 * kFsPerNs,  3'750'000,     3 * kFsPerNs,  2'500'000,     1'875'000,     1'666'667};
constexpr std::uint32_t kNvDdr2Modes = 10;

BusTiming sdr_timing(const SdrMode& mode) {
    BusTiming timing;
    timing.command_cycle = timing.address_cycle = std::chrono::nanoseconds(mode.t_wc);
    timing.byte_in_fs = mode.t_wc * kFsPerNs;
    timing.byte_out_fs = mode.t_rc * kFsPerNs;  // tREA is shorter than tRC in every mode: no overhead
    timing.t_adl = kAdl;
    timing.t_wb = std::chrono::nanoseconds(mode.t_wb);
    timing.t_whr = std::chrono::nanoseconds(mode.t_whr);
    timing.t_rhw = std::chrono::nanoseconds(mode.t_rhw);
    timing.t_rr = std::chrono::nanoseconds(mode.t_rr);
    timing.t_ccs = kCcs;
    return timing;
}

/// The common part of all synchronous interfaces.
BusTiming ddr_timing(std::int64_t period_fs) {
    BusTiming timing;
    timing.byte_in_fs = timing.byte_out_fs = period_fs / 2;
    timing.granule = 2;
    timing.t_adl = kAdl;
    timing.t_wb = 100ns;
    timing.t_whr = 80ns;
    timing.t_rhw = 100ns;
    timing.t_rr = 20ns;
    timing.t_ccs = kCcs;
    return timing;
}

BusTiming nv_ddr_timing(std::int64_t clock_ns) {
    constexpr Ps kCad = 45ns;    // command, address, data delay
    constexpr Ps kDqsCk = 25ns;  // clock to strobe, maximum
    const Ps clock = std::chrono::nanoseconds(clock_ns);
    BusTiming timing = ddr_timing(clock_ns * kFsPerNs);
    timing.command_cycle = timing.address_cycle = std::max(kCad, clock);
    timing.in_overhead = 3 * clock;  // tWPRE + tWPST, 1.5 tCK each
    timing.out_overhead = kDqsCk;
    return timing;
}

/// NV-DDR2 and NV-DDR3: WE# still latches commands and addresses, with tWC at every data rate.
BusTiming nv_ddr2_timing(std::int64_t period_fs) {
    constexpr Ps kWc = 25ns;
    constexpr Ps kWpre = 15ns, kWpst{6'500}, kWpsth = 15ns;
    constexpr Ps kRpre = 15ns, kDqsRe = 25ns, kRpsth = 15ns;
    BusTiming timing = ddr_timing(period_fs);
    timing.command_cycle = timing.address_cycle = kWc;
    timing.in_overhead = kWpre + kWpst + kWpsth;
    const Ps rpst = kDqsRe + Ps{period_fs / 2 / 1000};  // tRPST = tDQSRE + tRC / 2
    timing.out_overhead = kRpre + rpst + kRpsth;
    return timing;
}

/// Old studies give one number, the time of a byte; every cycle takes it, and the other parameters are zero.
BusTiming byte_timing(Ps byte_time) {
    BusTiming timing;
    timing.command_cycle = timing.address_cycle = byte_time;
    timing.byte_in_fs = timing.byte_out_fs = byte_time.count() * 1000;
    return timing;
}

}  // namespace

std::uint32_t max_timing_mode(NandInterface interface) {
    switch (interface) {
        case NandInterface::sdr:
            return kSdr.size() - 1;
        case NandInterface::nv_ddr:
            return kNvDdrClock.size() - 1;
        case NandInterface::nv_ddr2:
            return kNvDdr2Modes - 1;
        case NandInterface::nv_ddr3:
            return kStrobePeriodFs.size() - 1;
        case NandInterface::byte_time:
            break;
    }
    return 0;
}

BusTiming make_bus_timing(const NandBusConfig& bus) {
    if (bus.interface != NandInterface::byte_time && bus.mode > max_timing_mode(bus.interface)) {
        SC_REPORT_FATAL("/ssd/nand", "no such timing mode");
    }
    switch (bus.interface) {
        case NandInterface::sdr:
            return sdr_timing(kSdr[bus.mode]);
        case NandInterface::nv_ddr:
            return nv_ddr_timing(kNvDdrClock[bus.mode]);
        case NandInterface::nv_ddr2:
        case NandInterface::nv_ddr3:
            return nv_ddr2_timing(kStrobePeriodFs[bus.mode]);
        case NandInterface::byte_time:
            break;
    }
    return byte_timing(bus.byte_time);
}

}  // namespace solidtlm::hw
