// SPDX-License-Identifier: Apache-2.0
//
// Registers of an NVMe controller in BAR0, by byte offset (NVMe 1.4, section 3.1), and their bits.
#pragma once

#include <cstdint>

namespace solidtlm::hw::nvme {

using Word = std::uint32_t;

enum class Register : std::uint32_t {
    cap = 0x00,
    cap_high = 0x04,
    vs = 0x08,
    intms = 0x0C,
    intmc = 0x10,
    cc = 0x14,
    csts = 0x1C,
    aqa = 0x24,
    asq = 0x28,
    asq_high = 0x2C,
    acq = 0x30,
    acq_high = 0x34,
};
constexpr std::uint32_t kDoorbells =
    0x1000;  ///< CAP.DSTRD = 0: tail of SQ 0, head of CQ 0, tail of SQ 1, ...
constexpr std::uint32_t kMsixTable = 0x2000;
constexpr std::uint32_t kMsixPending = 0x3000;
constexpr std::uint32_t kBarBytes = 0x4000;

constexpr Word kVersion = 0x00010400;

// Of the function in configuration space. The vendor is Red Hat, who has devices of simulators under it.
constexpr std::uint16_t kPciVendor = 0x1B36;
constexpr std::uint16_t kPciDevice = 0x0102;  ///< not QEMU's controller, for which drivers have workarounds
constexpr std::uint32_t kPciClass = 0x010802;

// CAP
constexpr Word kCapCqr = 1U << 16U;  ///< queues lie together in memory
constexpr Word kCapWrr = 1U << 17U;
constexpr unsigned kCapToShift = 24;  ///< time until CSTS.RDY, in units of 500 ms
constexpr Word kCapHighNvm = 1U << 5U;

// CC
constexpr Word kCcEnable = 1U << 0U;
constexpr unsigned kCcCssShift = 4;
constexpr Word kCcCssMask = 7;
constexpr unsigned kCcMpsShift = 7;
constexpr Word kCcMpsMask = 15;
constexpr unsigned kCcAmsShift = 11;
constexpr Word kCcAmsMask = 7;
constexpr Word kCcAmsWrr = 1;
constexpr unsigned kCcShnShift = 14;
constexpr Word kCcShnMask = 3;
constexpr unsigned kCcIosqesShift = 16;
constexpr unsigned kCcIocqesShift = 20;
constexpr Word kCcEntrySizeMask = 15;

// CSTS
constexpr Word kCstsReady = 1U << 0U;
constexpr Word kCstsFatal = 1U << 1U;
constexpr unsigned kCstsShstShift = 2;
constexpr Word kShstGoingOn = 1;
constexpr Word kShstComplete = 2;

// Sizes that this controller has.
constexpr std::uint32_t kPageBytes = 4096;  ///< CC.MPS = 0; CAP has nothing else
constexpr unsigned kSqeShift = 6;           ///< log2 of the bytes of an entry
constexpr unsigned kCqeShift = 4;
constexpr std::uint32_t kSqeBytes = 1U << kSqeShift;
constexpr std::uint32_t kCqeBytes = 1U << kCqeShift;
constexpr unsigned kMdts = 5;  ///< a command moves at most 2^5 pages
constexpr std::uint32_t kMostPages = 1U << kMdts;
constexpr std::uint32_t kMostBytes = kPageBytes << kMdts;

}  // namespace solidtlm::hw::nvme
