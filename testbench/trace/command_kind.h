// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace solidtlm::testbench
