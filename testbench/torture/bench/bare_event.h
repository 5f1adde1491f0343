// SPDX-License-Identifier: Apache-2.0
//
// What the SystemC kernel itself costs on this machine at present.
#pragma once

namespace solidtlm::testbench {

/// CPU time per event, nanoseconds: the median of several short stretches.
struct BareEventCost {
    double method_ns = 0.0;  ///< an SC_METHOD that schedules the event to which it is sensitive
    double thread_ns = 0.0;  ///< an SC_THREAD that calls wait(t)
};

/// Simulates only these two processes, one after the other; takes some tenths of a second. REQUIRES: the
/// process has elaborated nothing. SystemC lets it elaborate nothing afterwards.
[[nodiscard]] BareEventCost measure_bare_event();

}  // namespace solidtlm::testbench
