// SPDX-License-Identifier: Apache-2.0
//
// Entries of queues as they lie in host memory (NVMe 1.4: common command format, completion queue entry),
// with opcodes and statuses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/nvme/registers.h"

namespace solidtlm::hw::nvme {

enum class AdminOpcode : std::uint8_t {
    delete_sq = 0x00,
    create_sq = 0x01,
    get_log_page = 0x02,
    delete_cq = 0x04,
    create_cq = 0x05,
    identify = 0x06,
    abort = 0x08,
    set_features = 0x09,
    get_features = 0x0A,
    async_event_request = 0x0C,
};
enum class IoOpcode : std::uint8_t {
    flush = 0x00,
    write = 0x01,
    read = 0x02,
    write_uncorrectable = 0x04,
    write_zeroes = 0x08,
    dataset_management = 0x09,
};

/// Status code type in the high byte, status code in the low one.
enum class Status : std::uint16_t {
    success = 0x000,
    invalid_opcode = 0x001,
    invalid_field = 0x002,
    command_id_conflict = 0x003,
    transfer_error = 0x004,
    internal_error = 0x006,
    abort_requested = 0x007,
    invalid_namespace = 0x00B,
    command_sequence = 0x00C,
    prp_offset = 0x013,
    lba_out_of_range = 0x080,
    cq_invalid = 0x100,
    queue_id_invalid = 0x101,
    queue_size_invalid = 0x102,
    async_limit = 0x105,
    vector_invalid = 0x108,
    log_page_invalid = 0x109,
    queue_deletion_invalid = 0x10C,
    not_saveable = 0x10D,
    write_fault = 0x280,
    unrecovered_read = 0x281,
};

constexpr std::uint16_t kNoCommand = 0xFFFF;  ///< an identifier that no driver should use

/// A submission queue entry.
struct Command {
    std::uint8_t opcode = 0;
    std::uint8_t flags = 0;  ///< FUSE 1:0, PSDT 7:6
    std::uint16_t id = 0;
    std::uint32_t nsid = 0;
    std::uint64_t prp1 = 0;
    std::uint64_t prp2 = 0;
    std::array<Word, 6> words{};  ///< command dwords 10 to 15

    [[nodiscard]] Word dword(unsigned number) const { return words.at(number - 10U); }
    /// Command dwords 10 and 11: the first LBA.
    [[nodiscard]] std::uint64_t lba() const { return words[0] | std::uint64_t{words[1]} << 32U; }
};
[[nodiscard]] Command decode_command(std::span<const std::byte, kSqeBytes> entry);
void encode(const Command& command, std::span<std::byte, kSqeBytes> entry);

struct Completion {
    Word result = 0;
    std::uint16_t sq_head = 0;
    std::uint16_t sq = 0;
    std::uint16_t id = 0;
    bool phase = false;
    Status status = Status::success;
};
/// Sets DNR if a repetition cannot help.
[[nodiscard]] std::array<std::byte, kCqeBytes> encode(const Completion& completion);
/// Bits 31:17 of dword 3, as error log entries have them, too.
[[nodiscard]] std::uint16_t status_field(Status status);

}  // namespace solidtlm::hw::nvme
