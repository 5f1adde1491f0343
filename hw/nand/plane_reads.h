// SPDX-License-Identifier: Apache-2.0
//
// Parts whose planes read independently ("independent plane read", "asynchronous multi-plane independent
// read", for example US patent 11,657,861 B2): a read of one page keeps only its plane busy, and other planes
// of the die sense pages of their own for other reads at the same time, each with its own 00h-30h. Reads of
// several planes, programs, erases and copy-backs need the whole die, as do commands that set a feature or
// suspend.
#pragma once

#include "fw/hal/flash.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// As configured; one plane has no others to read beside it.
[[nodiscard]] inline NandPlaneReads plane_reads_of(const NandConfig& config) {
    return config.geometry.planes > 1 ? config.plane_reads : NandPlaneReads::together;
}

/// Does the operation, while it reads, leave the other planes of its die to other reads?
[[nodiscard]] inline bool reads_alone(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads == NandPlaneReads::independent && op.opcode == hal::FlashOpcode::read && op.planes == 1;
}

/// Planes that the operation needs.
[[nodiscard]] inline hal::PlaneSet planes_taken(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads_alone(reads, op) ? static_cast<hal::PlaneSet>(1U << op.address[0].plane.value)
                                  : hal::kAllPlanes;
}

/// Does 06h-5A-E0h come before the data of every read, not only of several planes? Dies that share a chip
/// enable are selected by address, and a plane where others may have data, too.
[[nodiscard]] inline bool always_selects(const NandConfig& config) {
    return config.geometry.dies_per_way > 1 || plane_reads_of(config) == NandPlaneReads::independent;
}

/// How much of a die works on its own: a plane, or all of them.
[[nodiscard]] inline std::uint32_t array_count(const NandConfig& config) {
    return plane_reads_of(config) == NandPlaneReads::independent ? config.geometry.planes : 1;
}
/// Which of them an operation uses; one that needs them all counts as using the first.
[[nodiscard]] inline std::uint32_t array_of(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads_alone(reads, op) ? op.address[0].plane.value : 0;
}

}  // namespace solidtlm::hw
