// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/entries.h"

#include <algorithm>

#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {
constexpr unsigned kDnr = 1U << 14U;
}  // namespace

Command decode_command(std::span<const std::byte, kSqeBytes> entry) {
    Command command;
    command.opcode = std::to_integer<std::uint8_t>(entry[0]);
    command.flags = std::to_integer<std::uint8_t>(entry[1]);
    command.id = static_cast<std::uint16_t>(get_little_endian(entry.subspan<2, 2>()));
    command.nsid = static_cast<std::uint32_t>(get_little_endian(entry.subspan<4, 4>()));
    command.prp1 = get_little_endian(entry.subspan<24, 8>());
    command.prp2 = get_little_endian(entry.subspan<32, 8>());
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        command.words.at(i) = static_cast<Word>(get_little_endian(entry.subspan(40 + 4 * i, 4)));
    }
    return command;
}

void encode(const Command& command, std::span<std::byte, kSqeBytes> entry) {
    std::ranges::fill(entry, std::byte{0});
    put_little_endian(entry.subspan<0, 4>(),
                      command.opcode | command.flags << 8U | std::uint32_t{command.id} << 16U);
    put_little_endian(entry.subspan<4, 4>(), command.nsid);
    put_little_endian(entry.subspan<24, 8>(), command.prp1);
    put_little_endian(entry.subspan<32, 8>(), command.prp2);
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        put_little_endian(entry.subspan(40 + 4 * i, 4), command.words.at(i));
    }
}

std::uint16_t status_field(Status status) {
    const auto value = static_cast<unsigned>(status);
    const bool may_help = value == 0 || (value >= 0x004 && value <= 0x008) || (value >> 8U) == 2;
    return static_cast<std::uint16_t>(value | (may_help ? 0 : kDnr));
}

std::array<std::byte, kCqeBytes> encode(const Completion& completion) {
    std::array<std::byte, kCqeBytes> entry{};
    const std::span bytes(entry);
    put_little_endian(bytes.subspan<0, 4>(), completion.result);
    put_little_endian(bytes.subspan<8, 2>(), completion.sq_head);
    put_little_endian(bytes.subspan<10, 2>(), completion.sq);
    put_little_endian(bytes.subspan<12, 2>(), completion.id);
    put_little_endian(bytes.subspan<14, 2>(), static_cast<unsigned>(status_field(completion.status)) << 1U |
                                                  (completion.phase ? 1 : 0));
    return entry;
}

}  // namespace solidtlm::hw::nvme
