// SPDX-License-Identifier: Apache-2.0
//
// Parts whose planes read independently ("independent plane read", "asynchronous multi-plane independent
// read", for example US patent 11,657,861 B2): a read of one page keeps only its plane busy, and other planes
// of the die can sense other pages for other reads at the same time, each with its own 00h-30h. Reads of
// several planes, programs, erases and copy-backs need the whole die, as do commands that set a feature or
// suspend.
#pragma once

#include "fw/hal/flash.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// As configured, except that a die of one plane reads `together`.
[[nodiscard]] inline NandPlaneReads plane_reads_of(const NandConfig& config) {
    return config.geometry.planes > 1 ? config.plane_reads : NandPlaneReads::together;
}

/// True if the operation, while it reads, leaves the other planes of its die to other reads.
[[nodiscard]] inline bool reads_alone(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads == NandPlaneReads::independent && op.opcode == hal::FlashOpcode::read && op.planes == 1;
}

/// Planes that the operation needs.
[[nodiscard]] inline hal::PlaneSet planes_taken(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads_alone(reads, op) ? static_cast<hal::PlaneSet>(1U << op.address[0].plane.value)
                                  : hal::kAllPlanes;
}

/// True if 06h-5A-E0h comes before the data of every read, not only of several planes: dies that share a chip
/// enable are selected by address, and so is a plane if others may have data, too.
[[nodiscard]] inline bool always_selects(const NandConfig& config) {
    return config.geometry.dies_per_way > 1 || plane_reads_of(config) == NandPlaneReads::independent;
}

/// Number of independent arrays of a die: one per plane, or one.
[[nodiscard]] inline std::uint32_t array_count(const NandConfig& config) {
    return plane_reads_of(config) == NandPlaneReads::independent ? config.geometry.planes : 1;
}
/// The array that an operation uses; an operation that needs all counts as using the first.
[[nodiscard]] inline std::uint32_t array_of(NandPlaneReads reads, const hal::FlashOp& op) {
    return reads_alone(reads, op) ? op.address[0].plane.value : 0;
}

}  // namespace solidtlm::hw
