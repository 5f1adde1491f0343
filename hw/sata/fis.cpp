// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/fis.h"

#include "fw/hal/check.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw {
namespace {

struct TypeInfo {
    FisType type;
    std::uint8_t dwords;
    std::string_view name;
};
constexpr std::array<TypeInfo, kFisTypes> kTypes{{{FisType::register_h2d, 5, "register_h2d"},
                                                  {FisType::register_d2h, 5, "register_d2h"},
                                                  {FisType::dma_activate, 1, "dma_activate"},
                                                  {FisType::dma_setup, 7, "dma_setup"},
                                                  {FisType::data, 1, "data"},
                                                  {FisType::pio_setup, 5, "pio_setup"},
                                                  {FisType::set_device_bits, 2, "set_device_bits"}}};

constexpr std::array<std::uint8_t, 256> make_index() {
    std::array<std::uint8_t, 256> table{};
    table.fill(kFisTypes);
    for (std::size_t i = 0; i < kFisTypes; ++i) {
        table[static_cast<std::size_t>(kTypes[i].type)] = static_cast<std::uint8_t>(i);
    }
    return table;
}
constexpr std::array<std::uint8_t, 256> kIndex = make_index();

constexpr std::uint8_t kBit5 = 0x20;  // D: direction
constexpr std::uint8_t kBit6 = 0x40;  // I: interrupt
constexpr std::uint8_t kBit7 = 0x80;  // C, N or A
constexpr std::uint8_t kSdbStatusMask = 0x77;

std::uint8_t byte_of(std::uint64_t value, unsigned index) {
    return static_cast<std::uint8_t>(value >> (8U * index));
}

FisHeader begin(FisType type) {
    FisHeader header;
    header.bytes[0] = static_cast<std::uint8_t>(type);
    header.length = fis_header_bytes(header.bytes[0]);
    return header;
}

std::uint8_t flag(bool set, std::uint8_t bit) {
    return set ? bit : std::uint8_t{0};
}

void put(std::uint8_t* at, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) {
        at[i] = byte_of(value, i);
    }
}

std::uint64_t get(const std::uint8_t* at, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) {
        value = value << 8U | at[i];
    }
    return value;
}

// The register FISes have LBA, device and count in the same places.
void put_address(FisHeader& header, hal::Lba lba, std::uint8_t device, std::uint16_t count) {
    put(&header.bytes[4], lba.value, 3);
    header.bytes[7] = device;
    put(&header.bytes[8], lba.value >> 24U, 3);
    put(&header.bytes[12], count, 2);
}

hal::Lba get_lba(const std::uint8_t* header) {
    return hal::Lba{get(header + 4, 3) | get(header + 8, 3) << 24U};
}

std::uint16_t get16(const std::uint8_t* at) {
    return static_cast<std::uint16_t>(get(at, 2));
}

void require_type(const std::uint8_t* header, FisType type) {
    SOLIDTLM_CHECK(header[0] == static_cast<std::uint8_t>(type), "the FIS begins with its type byte");
}

}  // namespace

std::size_t fis_index(std::uint8_t type) {
    return kIndex[type];
}

std::string_view fis_name(std::size_t index) {
    return kTypes[index].name;
}

std::uint8_t fis_header_bytes(std::uint8_t type) {
    const std::size_t index = kIndex[type];
    return index < kFisTypes ? static_cast<std::uint8_t>(kTypes[index].dwords * 4U) : std::uint8_t{0};
}

FisHeader encode(const RegisterH2d& fis) {
    FisHeader header = begin(FisType::register_h2d);
    header.bytes[1] = flag(fis.is_command, kBit7);
    header.bytes[2] = fis.command;
    header.bytes[3] = byte_of(fis.features, 0);
    put_address(header, fis.lba, fis.device, fis.count);
    header.bytes[11] = byte_of(fis.features, 1);
    header.bytes[14] = fis.icc;
    header.bytes[15] = fis.control;
    put(&header.bytes[16], fis.auxiliary, 4);
    return header;
}

FisHeader encode(const RegisterD2h& fis) {
    FisHeader header = begin(FisType::register_d2h);
    header.bytes[1] = flag(fis.interrupt, kBit6);
    header.bytes[2] = fis.status;
    header.bytes[3] = fis.error;
    put_address(header, fis.lba, fis.device, fis.count);
    return header;
}

FisHeader encode(const SetDeviceBits& fis) {
    FisHeader header = begin(FisType::set_device_bits);
    header.bytes[1] = static_cast<std::uint8_t>(flag(fis.notification, kBit7) | flag(fis.interrupt, kBit6));
    header.bytes[2] = fis.status & kSdbStatusMask;
    header.bytes[3] = fis.error;
    put(&header.bytes[4], fis.sactive, 4);
    return header;
}

FisHeader encode(const DmaSetup& fis) {
    FisHeader header = begin(FisType::dma_setup);
    header.bytes[1] = static_cast<std::uint8_t>(flag(fis.auto_activate, kBit7) | flag(fis.interrupt, kBit6) |
                                                flag(fis.device_to_host, kBit5));
    header.bytes[4] = fis.tag & ata::kTagMask;
    put(&header.bytes[16], fis.buffer_offset, 4);
    put(&header.bytes[20], fis.transfer_bytes, 4);
    return header;
}

FisHeader encode(const PioSetup& fis) {
    FisHeader header = begin(FisType::pio_setup);
    header.bytes[1] = static_cast<std::uint8_t>(flag(fis.interrupt, kBit6) | flag(fis.device_to_host, kBit5));
    header.bytes[2] = fis.status;
    header.bytes[3] = fis.error;
    put_address(header, fis.lba, fis.device, fis.count);
    header.bytes[15] = fis.end_status;
    put(&header.bytes[16], fis.transfer_bytes, 2);
    return header;
}

FisHeader encode_dma_activate() {
    return begin(FisType::dma_activate);
}

FisHeader encode_data() {
    return begin(FisType::data);
}

RegisterH2d decode_register_h2d(const std::uint8_t* header) {
    require_type(header, FisType::register_h2d);
    RegisterH2d fis;
    fis.is_command = (header[1] & kBit7) != 0;
    fis.command = header[2];
    fis.features = static_cast<std::uint16_t>(header[3] | header[11] << 8U);
    fis.lba = get_lba(header);
    fis.device = header[7];
    fis.count = get16(header + 12);
    fis.icc = header[14];
    fis.control = header[15];
    fis.auxiliary = static_cast<std::uint32_t>(get(header + 16, 4));
    return fis;
}

RegisterD2h decode_register_d2h(const std::uint8_t* header) {
    require_type(header, FisType::register_d2h);
    RegisterD2h fis;
    fis.interrupt = (header[1] & kBit6) != 0;
    fis.status = header[2];
    fis.error = header[3];
    fis.lba = get_lba(header);
    fis.device = header[7];
    fis.count = get16(header + 12);
    return fis;
}

SetDeviceBits decode_set_device_bits(const std::uint8_t* header) {
    require_type(header, FisType::set_device_bits);
    SetDeviceBits fis;
    fis.notification = (header[1] & kBit7) != 0;
    fis.interrupt = (header[1] & kBit6) != 0;
    fis.status = header[2] & kSdbStatusMask;
    fis.error = header[3];
    fis.sactive = static_cast<std::uint32_t>(get(header + 4, 4));
    return fis;
}

DmaSetup decode_dma_setup(const std::uint8_t* header) {
    require_type(header, FisType::dma_setup);
    DmaSetup fis;
    fis.auto_activate = (header[1] & kBit7) != 0;
    fis.interrupt = (header[1] & kBit6) != 0;
    fis.device_to_host = (header[1] & kBit5) != 0;
    fis.tag = header[4] & ata::kTagMask;
    fis.buffer_offset = static_cast<std::uint32_t>(get(header + 16, 4));
    fis.transfer_bytes = static_cast<std::uint32_t>(get(header + 20, 4));
    return fis;
}

PioSetup decode_pio_setup(const std::uint8_t* header) {
    require_type(header, FisType::pio_setup);
    PioSetup fis;
    fis.interrupt = (header[1] & kBit6) != 0;
    fis.device_to_host = (header[1] & kBit5) != 0;
    fis.status = header[2];
    fis.error = header[3];
    fis.lba = get_lba(header);
    fis.device = header[7];
    fis.count = get16(header + 12);
    fis.end_status = header[15];
    fis.transfer_bytes = get16(header + 16);
    return fis;
}

tlm::tlm_generic_payload& take_frame(PayloadPool<FisExtension>& pool, const FisHeader& header,
                                     std::byte* content, std::uint32_t bytes, hal::Ledger* ledger) {
    // The base protocol has no write of length 0 (IEEE 1666-2011 14.12).
    tlm::tlm_generic_payload& payload =
        pool.take(bytes == 0 ? tlm::TLM_IGNORE_COMMAND : tlm::TLM_WRITE_COMMAND, 0, content, bytes);
    auto& fis = *payload.get_extension<FisExtension>();
    fis.header = header.bytes;
    fis.header_bytes = header.length;
    fis.ledger = ledger;
    fis.gathered = fis.held = hal::Ps{0};
    fis.signal = LinkSignal::none;
    return payload;
}

SataFrame frame_of(tlm::tlm_generic_payload& payload) {
    const auto& fis = *payload.get_extension<FisExtension>();
    return {FisHeader{fis.header, fis.header_bytes},
            fis.ledger,
            reinterpret_cast<std::byte*>(payload.get_data_ptr()),
            payload.get_data_length(),
            false,
            fis.gathered,
            fis.held,
            &payload};
}

tlm::tlm_generic_payload& take_signal(PayloadPool<FisExtension>& pool, LinkSignal signal) {
    tlm::tlm_generic_payload& payload = take_frame(pool, FisHeader{});
    payload.get_extension<FisExtension>()->signal = signal;
    return payload;
}

}  // namespace solidtlm::hw
