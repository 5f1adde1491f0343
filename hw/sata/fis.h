// SPDX-License-Identifier: Apache-2.0
//
// Frame Information Structures as bytes on the wire (Serial ATA 3.x, clause 10.5). encode() writes a
// whole header into a FisHeader; decode() reads one and expects the type byte to have been checked.
// Multi-byte fields are little endian; dword n of the standard's tables is bytes 4n to 4n + 3.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fw/hal/types.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"

namespace solidtlm::hw {

enum class FisType : std::uint8_t {
    register_h2d = 0x27,
    register_d2h = 0x34,
    dma_activate = 0x39,
    dma_setup = 0x41,
    data = 0x46,
    pio_setup = 0x5F,
    set_device_bits = 0xA1,
};
constexpr std::size_t kFisTypes = 7;

/// Dense number of a type, for statistics: 0-6, or kFisTypes when the byte is no FIS type of this model.
std::size_t fis_index(std::uint8_t type);
/// Name of the type with that dense number.
std::string_view fis_name(std::size_t index);
/// Bytes of a FIS of this type, the payload of a Data FIS not counted; 0 for an unknown type.
std::uint8_t fis_header_bytes(std::uint8_t type);

/// The longest payload of a Data FIS: 2048 dwords (clause 10.5.12).
constexpr std::uint32_t kMaxDataFisBytes = 8192;

/// The bytes of one FIS without Data payload.
struct FisHeader {
    std::array<std::uint8_t, FisExtension::kMaxHeaderBytes> bytes{};
    std::uint8_t length = 0;
    [[nodiscard]] FisType type() const { return static_cast<FisType>(bytes[0]); }
    bool operator==(const FisHeader&) const = default;
};

/// A frame on the link.
struct SataFrame {
    FisHeader header;
    hal::Ledger* ledger = nullptr;  ///< of the command it belongs to; may be null
    std::byte* content = nullptr;   ///< of a Data FIS, or null; valid until the frame has gone
    std::uint32_t bytes = 0;        ///< of Data payload
    bool in_phase = false;          ///< moves data of a DMA command
    Ps gathered{0};                 ///< see FisExtension, also for `held`
    Ps held{0};
    tlm::tlm_generic_payload* payload = nullptr;  ///< that carries it; null: a call sent it
    Ps queued{0};                                 ///< when the link took it
    SataFrame* next = nullptr;                    ///< in the link's queue
};

/// Takes a payload with a FIS for the link; the caller releases it.
tlm::tlm_generic_payload& take_frame(PayloadPool<FisExtension>& pool, const SataFrame& frame);

/// The frame in a payload with a FIS.
SataFrame frame_of(tlm::tlm_generic_payload& payload);

/// Takes a payload with a signal for the link; the caller releases it.
tlm::tlm_generic_payload& take_signal(PayloadPool<FisExtension>& pool, LinkSignal signal);

/// Register Host to Device (clause 10.5.5): a command (`is_command`) or a write to the control register.
struct RegisterH2d {
    static constexpr FisType kType = FisType::register_h2d;
    bool is_command = true;
    std::uint8_t command = 0;
    std::uint16_t features = 0;
    hal::Lba lba;  ///< 48 bits
    std::uint8_t device = 0;
    std::uint16_t count = 0;
    std::uint8_t icc = 0;
    std::uint8_t control = 0;
    std::uint32_t auxiliary = 0;
    bool operator==(const RegisterH2d&) const = default;
};

/// Register Device to Host (clause 10.5.6).
struct RegisterD2h {
    static constexpr FisType kType = FisType::register_d2h;
    bool interrupt = false;
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    hal::Lba lba;  ///< 48 bits
    std::uint8_t device = 0;
    std::uint16_t count = 0;
    bool operator==(const RegisterD2h&) const = default;
};

/// Set Device Bits (clause 10.5.7). Status bits 7 (BSY) and 3 (DRQ) do not travel.
struct SetDeviceBits {
    static constexpr FisType kType = FisType::set_device_bits;
    bool notification = false;
    bool interrupt = true;
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    std::uint32_t sactive = 0;  ///< completed tags
    bool operator==(const SetDeviceBits&) const = default;
};

/// DMA Setup (clause 10.5.9), first-party DMA of an NCQ command: the buffer identifier is its tag.
struct DmaSetup {
    static constexpr FisType kType = FisType::dma_setup;
    bool auto_activate = false;
    bool interrupt = false;
    bool device_to_host = false;
    std::uint8_t tag = 0;
    std::uint32_t buffer_offset = 0;
    std::uint32_t transfer_bytes = 0;
    bool operator==(const DmaSetup&) const = default;
};

/// PIO Setup (clause 10.5.11): one DRQ block follows as a Data FIS.
struct PioSetup {
    static constexpr FisType kType = FisType::pio_setup;
    bool interrupt = false;
    bool device_to_host = false;
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    hal::Lba lba;
    std::uint8_t device = 0;
    std::uint16_t count = 0;
    std::uint8_t end_status = 0;
    std::uint16_t transfer_bytes = 0;
    bool operator==(const PioSetup&) const = default;
};

/// One of the structs above.
template <class Fis>
concept TypedFis = requires {
    Fis::kType;
};
template <TypedFis Fis>
FisHeader encode(const Fis& fis);
/// REQUIRES: `header` begins with the type byte and is at least as long as the type's header.
template <TypedFis Fis>
Fis decode(const std::uint8_t* header);
FisHeader encode_dma_activate();
FisHeader encode_data();

}  // namespace solidtlm::hw
