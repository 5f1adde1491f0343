// SPDX-License-Identifier: Apache-2.0
//
// The model's extensions of TLM's generic payload, one type for DRAM accesses and one for SATA frames.
// PayloadPool reuses each in place.
//
// Content: with ContentMode::bytes the payload's data pointer holds the modelled bytes. With tags it points
// to the 8-byte identities of the sectors and with none it is null; data_length is the number of modelled
// bytes in every mode, so that timing never depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "fw/hal/ledger.h"
#include "fw/hal/types.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// The base of extensions of pooled payloads, which are copied field by field and never cloned on the data
/// path.
template <class Derived>
struct PooledExtension : tlm::tlm_extension<Derived> {
    [[nodiscard]] tlm::tlm_extension_base* clone() const override {
        return new Derived(static_cast<const Derived&>(*this));
    }
    void copy_from(const tlm::tlm_extension_base& other) override {
        static_cast<Derived&>(*this) = static_cast<const Derived&>(other);
    }
    void free() override {}  // the pool's slot owns it
};

/// A DRAM access. Its port is known from the socket.
struct DramExtension : PooledExtension<DramExtension> {
    Ps wait{0};      ///< out: until the DRAM began to serve it
    Ps transfer{0};  ///< out: row activation and burst
    // For the initiator alone:
    class DramClient* client = nullptr;
    std::uint64_t id = 0;
};

/// What the host signals over a SATA link outside of frames (Serial ATA 3.x, clause 8.4).
enum class LinkSignal : std::uint8_t {
    none,       ///< a frame
    comreset,   ///< takes the link down and resets the device
    phy_ready,  ///< COMRESET has ended, and both sides have found their speed
};

/// A frame on the SATA link, or a signal.
struct FisExtension : PooledExtension<FisExtension> {
    static constexpr std::size_t kMaxHeaderBytes = 28;  ///< the longest header: DMA Setup, 7 dwords
    std::array<std::uint8_t, kMaxHeaderBytes>
        header{};  ///< the FIS as it goes over the wire, without Data payload
    std::uint8_t header_bytes = 0;
    hal::Ledger* ledger = nullptr;  ///< of the command this frame belongs to; may be null
    hal::Ps gathered{0};  ///< Data FIS from a host with DMA: time from its activation until it was queued
    hal::Ps held{0};      ///< out, by the link: how long it waited because its receiver was not ready
    LinkSignal signal = LinkSignal::none;
    std::uint8_t speed = 0;  ///< out, of phy_ready: 1, 2 or 3 for 1.5, 3 or 6 Gb/s
};

}  // namespace solidtlm::hw
