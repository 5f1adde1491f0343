// SPDX-License-Identifier: Apache-2.0
//
// Registers and memory structures of AHCI 1.3.1: offsets and bits (sections 3 and 4).
#pragma once

#include <cstdint>

namespace solidtlm::hw::ahci {

using Word = std::uint32_t;

/// Generic host control (3.1), from ABAR.
enum class Global : std::uint32_t {
    cap = 0x00,
    ghc = 0x04,
    is = 0x08,
    pi = 0x0C,
    vs = 0x10,
};
constexpr std::uint32_t kPortBase = 0x100;
constexpr std::uint32_t kPortBytes = 0x80;
constexpr std::uint32_t kMostPorts = 32;
constexpr std::uint32_t kRegisterBytes = kPortBase + kMostPorts * kPortBytes;

constexpr Word kVersion = 0x00010301;
constexpr Word kCapS64a = 1U << 31U;
constexpr Word kCapSncq = 1U << 30U;
constexpr Word kCapSss = 1U << 27U;
constexpr Word kCapSclo = 1U << 24U;
constexpr unsigned kCapIssShift = 20;
constexpr Word kCapSam = 1U << 18U;
constexpr Word kCapPmd = 1U << 15U;
constexpr unsigned kCapNcsShift = 8;
constexpr Word kGhcHr = 1U << 0U;
constexpr Word kGhcIe = 1U << 1U;
constexpr Word kGhcAe = 1U << 31U;

/// Registers of a port (3.3).
enum class PortRegister : std::uint32_t {
    clb = 0x00,
    clbu = 0x04,
    fb = 0x08,
    fbu = 0x0C,
    is = 0x10,
    ie = 0x14,
    cmd = 0x18,
    tfd = 0x20,
    sig = 0x24,
    ssts = 0x28,
    sctl = 0x2C,
    serr = 0x30,
    sact = 0x34,
    ci = 0x38,
};

// PxIS and PxIE.
constexpr Word kDhrs = 1U << 0U;
constexpr Word kPss = 1U << 1U;
constexpr Word kDss = 1U << 2U;
constexpr Word kSdbs = 1U << 3U;
constexpr Word kUfs = 1U << 4U;  ///< mirrors PxSERR.DIAG.F
constexpr Word kDps = 1U << 5U;
constexpr Word kPcs = 1U << 6U;    ///< mirrors PxSERR.DIAG.X
constexpr Word kPrcs = 1U << 22U;  ///< mirrors PxSERR.DIAG.N
constexpr Word kOfs = 1U << 24U;
constexpr Word kIfs = 1U << 27U;
constexpr Word kHbds = 1U << 28U;
constexpr Word kHbfs = 1U << 29U;
constexpr Word kTfes = 1U << 30U;
/// PxIE has no bits for mechanical presence switches (DMPE) and cold presence detection (CPDE).
constexpr Word kIeMask = 0x7DC0007F;

// PxCMD.
constexpr Word kSt = 1U << 0U;
constexpr Word kSud = 1U << 1U;
constexpr Word kPod = 1U << 2U;
constexpr Word kClo = 1U << 3U;
constexpr Word kFre = 1U << 4U;
constexpr unsigned kCcsShift = 8;
constexpr Word kFr = 1U << 14U;
constexpr Word kCr = 1U << 15U;
constexpr Word kAtapi = 1U << 24U;

// PxTFD, PxSIG, PxSSTS, PxSCTL.
constexpr std::uint8_t kNoDeviceStatus = 0x7F;
constexpr Word kNoSignature = 0xFFFFFFFF;
constexpr Word kDetMask = 0xF;
constexpr Word kDetNone = 0;
constexpr Word kDetReset = 1;    ///< PxSCTL: COMRESET
constexpr Word kDetPresent = 3;  ///< PxSSTS: device there, PHY ready
constexpr Word kDetOffline = 4;
constexpr unsigned kSpdShift = 4;
constexpr Word kIpmActive = 1U << 8U;
constexpr Word kSctlMask = 0xFFF;

// PxSERR: ERR 15:0, DIAG 31:16.
constexpr Word kSerrProtocol = 1U << 10U;
constexpr Word kSerrPhyReady = 1U << 16U;    ///< DIAG.N
constexpr Word kSerrUnknownFis = 1U << 25U;  ///< DIAG.F
constexpr Word kSerrExchanged = 1U << 26U;   ///< DIAG.X

// Memory structures (4.2).
constexpr std::uint32_t kSlots = 32;
constexpr std::uint32_t kHeaderBytes = 32;
constexpr std::uint32_t kByteCountOffset = 4;  ///< PRDBC in the header
constexpr Word kCflMask = 0x1F;                ///< length of the command FIS in dwords
constexpr std::uint32_t kCommandFisBytes = 20;
constexpr Word kHeaderWrite = 1U << 6U;   ///< W: from memory to the device
constexpr Word kHeaderClear = 1U << 10U;  ///< C: clear BSY upon R_OK
constexpr unsigned kPrdtlShift = 16;
constexpr std::uint32_t kPrdtOffset = 0x80;  ///< offset of the PRD table in the command table
constexpr std::uint32_t kPrdBytes = 16;
constexpr Word kDbcMask = 0x3FFFFF;
constexpr Word kPrdInterrupt = 1U << 31U;
constexpr std::uint32_t kReceivedDmaSetup = 0x00;
constexpr std::uint32_t kReceivedPioSetup = 0x20;
constexpr std::uint32_t kReceivedRegister = 0x40;
constexpr std::uint32_t kReceivedBits = 0x58;
constexpr std::uint32_t kReceivedUnknown = 0x60;

}  // namespace solidtlm::hw::ahci
