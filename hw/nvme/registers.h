// SPDX-License-Identifier: Apache-2.0
//
// Registers of an NVMe controller in BAR0, by byte offset (NVMe 1.4), and their bits.
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

/// Bits of a register, from `shift` on.
struct RegisterField {
    unsigned shift;
    std::uint32_t mask;  ///< of its value
    [[nodiscard]] constexpr Word of(Word word) const { return word >> shift & mask; }
    [[nodiscard]] constexpr Word put(Word value) const { return value << shift; }
    [[nodiscard]] constexpr Word bits() const { return mask << shift; }
};

// CC
constexpr Word kCcEnable = 1U << 0U;
constexpr RegisterField kCcCss{4, 7};
constexpr RegisterField kCcMps{7, 15};
constexpr RegisterField kCcAms{11, 7};
constexpr Word kCcAmsWrr = 1;
constexpr RegisterField kCcShn{14, 3};
constexpr RegisterField kCcIosqes{16, 15};
constexpr RegisterField kCcIocqes{20, 15};

// CSTS
constexpr Word kCstsReady = 1U << 0U;
constexpr Word kCstsFatal = 1U << 1U;
constexpr RegisterField kCstsShst{2, 3};
constexpr Word kShstGoingOn = 1;
constexpr Word kShstComplete = 2;

// AQA: entries, less one
constexpr RegisterField kAqaAsqs{0, 0xFFF};
constexpr RegisterField kAqaAcqs{16, 0xFFF};

// Sizes that this controller has.
constexpr std::uint32_t kPageBytes = 4096;  ///< CC.MPS = 0; CAP has nothing else
constexpr unsigned kSqeShift = 6;           ///< log2 of the bytes of an entry
constexpr unsigned kCqeShift = 4;
constexpr std::uint32_t kSqeBytes = 1U << kSqeShift;
constexpr std::uint32_t kCqeBytes = 1U << kCqeShift;
constexpr Word kCcOn =
    kCcEnable | kCcIosqes.put(kSqeShift) | kCcIocqes.put(kCqeShift);  ///< as drivers enable it
constexpr unsigned kMdts = 5;                                         ///< a command moves at most 2^5 pages
constexpr std::uint32_t kMostPages = 1U << kMdts;
constexpr std::uint32_t kMostBytes = kPageBytes << kMdts;

}  // namespace solidtlm::hw::nvme
