// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/fis.h"

#include <concepts>
#include <span>

#include "fw/hal/check.h"
#include "hw/sata/ata.h"
#include "hw/tlm/little_endian.h"

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

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// A struct of a FIS, to be read or written.
template <class T, class Fis>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Fis>;

/// Writes fields into a header of zeros.
struct Writer {
    std::uint8_t* bytes;

    void number(std::uint64_t value, std::size_t at, std::size_t count, std::uint64_t mask = kAll) const {
        put_little_endian(std::as_writable_bytes(std::span(bytes + at, count)), value & mask);
    }
    void flag(bool set, std::size_t at, std::uint8_t bit) const {
        bytes[at] = static_cast<std::uint8_t>(bytes[at] | (set ? bit : 0));
    }
    /// The low bytes of a number, and further ones, lie apart.
    void split(std::uint64_t value, std::size_t at, std::size_t further_at, std::size_t count) const {
        number(value, at, count);
        number(value >> 8U * count, further_at, count);
    }
    void lba(hal::Lba lba) const { split(lba.value, 4, 8, 3); }
};

/// Reads them.
struct Reader {
    const std::uint8_t* bytes;

    template <class Number>
    void number(Number& value, std::size_t at, std::size_t count, std::uint64_t mask = kAll) const {
        value = static_cast<Number>(get_little_endian(std::as_bytes(std::span(bytes + at, count))) & mask);
    }
    void flag(bool& set, std::size_t at, std::uint8_t bit) const { set = (bytes[at] & bit) != 0; }
    template <class Number>
    void split(Number& value, std::size_t at, std::size_t further_at, std::size_t count) const {
        std::uint64_t low = 0;
        std::uint64_t further = 0;
        number(low, at, count);
        number(further, further_at, count);
        value = static_cast<Number>(low | further << 8U * count);
    }
    void lba(hal::Lba& lba) const { split(lba.value, 4, 8, 3); }
};

// The fields of each FIS, by byte.

void each_field(auto io, FieldsOf<RegisterH2d> auto& fis) {
    io.flag(fis.is_command, 1, kBit7);
    io.number(fis.command, 2, 1);
    io.split(fis.features, 3, 11, 1);
    io.lba(fis.lba);
    io.number(fis.device, 7, 1);
    io.number(fis.count, 12, 2);
    io.number(fis.icc, 14, 1);
    io.number(fis.control, 15, 1);
    io.number(fis.auxiliary, 16, 4);
}

void each_field(auto io, FieldsOf<RegisterD2h> auto& fis) {
    io.flag(fis.interrupt, 1, kBit6);
    io.number(fis.status, 2, 1);
    io.number(fis.error, 3, 1);
    io.lba(fis.lba);
    io.number(fis.device, 7, 1);
    io.number(fis.count, 12, 2);
}

void each_field(auto io, FieldsOf<SetDeviceBits> auto& fis) {
    io.flag(fis.notification, 1, kBit7);
    io.flag(fis.interrupt, 1, kBit6);
    io.number(fis.status, 2, 1, kSdbStatusMask);
    io.number(fis.error, 3, 1);
    io.number(fis.sactive, 4, 4);
}

void each_field(auto io, FieldsOf<DmaSetup> auto& fis) {
    io.flag(fis.auto_activate, 1, kBit7);
    io.flag(fis.interrupt, 1, kBit6);
    io.flag(fis.device_to_host, 1, kBit5);
    io.number(fis.tag, 4, 1, ata::kTagMask);
    io.number(fis.buffer_offset, 16, 4);
    io.number(fis.transfer_bytes, 20, 4);
}

void each_field(auto io, FieldsOf<PioSetup> auto& fis) {
    io.flag(fis.interrupt, 1, kBit6);
    io.flag(fis.device_to_host, 1, kBit5);
    io.number(fis.status, 2, 1);
    io.number(fis.error, 3, 1);
    io.lba(fis.lba);
    io.number(fis.device, 7, 1);
    io.number(fis.count, 12, 2);
    io.number(fis.end_status, 15, 1);
    io.number(fis.transfer_bytes, 16, 2);
}

FisHeader begin(FisType type) {
    FisHeader header;
    header.bytes[0] = static_cast<std::uint8_t>(type);
    header.length = fis_header_bytes(header.bytes[0]);
    return header;
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

template <TypedFis Fis>
FisHeader encode(const Fis& fis) {
    FisHeader header = begin(Fis::kType);
    each_field(Writer{header.bytes.data()}, fis);
    return header;
}

template <TypedFis Fis>
Fis decode(const std::uint8_t* header) {
    SOLIDTLM_CHECK(header[0] == static_cast<std::uint8_t>(Fis::kType), "the FIS begins with its type byte");
    Fis fis;
    each_field(Reader{header}, fis);
    return fis;
}

template FisHeader encode(const RegisterH2d& fis);
template RegisterH2d decode(const std::uint8_t* header);
template FisHeader encode(const RegisterD2h& fis);
template RegisterD2h decode(const std::uint8_t* header);
template FisHeader encode(const SetDeviceBits& fis);
template SetDeviceBits decode(const std::uint8_t* header);
template FisHeader encode(const DmaSetup& fis);
template DmaSetup decode(const std::uint8_t* header);
template FisHeader encode(const PioSetup& fis);
template PioSetup decode(const std::uint8_t* header);

FisHeader encode_dma_activate() {
    return begin(FisType::dma_activate);
}

FisHeader encode_data() {
    return begin(FisType::data);
}

tlm::tlm_generic_payload& take_frame(PayloadPool<FisExtension>& pool, const SataFrame& frame) {
    // The base protocol has no write of length 0 (IEEE 1666-2011 14.12).
    tlm::tlm_generic_payload& payload = pool.take(
        frame.bytes == 0 ? tlm::TLM_IGNORE_COMMAND : tlm::TLM_WRITE_COMMAND, 0, frame.content, frame.bytes);
    auto& fis = *payload.get_extension<FisExtension>();
    fis.header = frame.header.bytes;
    fis.header_bytes = frame.header.length;
    fis.ledger = frame.ledger;
    fis.gathered = frame.gathered;
    fis.held = hal::Ps{0};
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
    tlm::tlm_generic_payload& payload = take_frame(pool, SataFrame{});
    payload.get_extension<FisExtension>()->signal = signal;
    return payload;
}

}  // namespace solidtlm::hw
