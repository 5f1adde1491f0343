// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace solidtlm::testbench {

/// The kind of a command in a trace.
enum class CommandKind : std::uint8_t { read, write, trim, flush, other };

/// The kind of an SBC-3 operation code: READ, WRITE, WRITE AND VERIFY and SYNCHRONIZE CACHE in all lengths.
/// UNMAP is not included, because its ranges are in its data, which traces do not contain.
constexpr CommandKind scsi_kind(std::uint64_t opcode) {
    switch (opcode) {
        case 0x08:
        case 0x28:
        case 0xa8:
        case 0x88:
            return CommandKind::read;
        case 0x0a:
        case 0x2a:
        case 0xaa:
        case 0x8a:
        case 0x2e:  // WRITE AND VERIFY (10), (12), (16)
        case 0xae:
        case 0x8e:
            return CommandKind::write;
        case 0x35:
        case 0x91:
            return CommandKind::flush;
        default:
            return CommandKind::other;
    }
}

/// What the letters of Linux's block layer (rwbs) say of a request.
struct BlockOperation {
    std::string_view letters;
    CommandKind kind;
    bool zeroes = false;  ///< a write-zeroes request
    bool fua = false;
};

/// The beginnings of rwbs after the F of a flush before the request: blk_fill_rwbs() in Linux's
/// kernel/trace/blktrace.c, and fill_rwbs() in blkparse. A longer one comes before its own beginning.
constexpr std::array kBlockOperations{
    BlockOperation{"ZRA", CommandKind::other},  // zone reset all
    BlockOperation{"ZR", CommandKind::other},   // zone reset
    BlockOperation{"ZO", CommandKind::other},   // zone open
    BlockOperation{"ZC", CommandKind::other},   // zone close
    BlockOperation{"ZF", CommandKind::other},   // zone finish
    BlockOperation{"ZA", CommandKind::write},   // zone append
    BlockOperation{"WZ", CommandKind::write, true}, BlockOperation{"W", CommandKind::write},
    BlockOperation{"R", CommandKind::read},         BlockOperation{"DE", CommandKind::trim},  // secure erase
    BlockOperation{"D", CommandKind::trim},         BlockOperation{"F", CommandKind::flush},
    BlockOperation{"N", CommandKind::other}};  // none of these, as a command of a driver
/// What may follow: FUA, read ahead, synchronous, metadata, atomic; barrier in older kernels.
constexpr std::string_view kBlockAttributes = "FASMUB";

/// Nothing if a letter is not known.
constexpr std::optional<BlockOperation> block_operation(std::string_view letters) {
    for (BlockOperation operation : kBlockOperations) {
        if (letters.starts_with(operation.letters)) {
            const std::string_view attributes = letters.substr(operation.letters.size());
            operation.fua =
                operation.kind == CommandKind::write && attributes.find('F') != std::string_view::npos;
            return attributes.find_first_not_of(kBlockAttributes) == std::string_view::npos
                       ? std::optional(operation)
                       : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace solidtlm::testbench
