// SPDX-License-Identifier: Apache-2.0
//
// One command of the host, from its arrival to its completion, and its observers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/ledger.h"
#include "testbench/sim/host/failure_kind.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

enum class CommandStatus : std::uint8_t { ok, failed };

struct Command {
    std::uint64_t sequence = 0;  ///< number in the order of first issue, from 0
    std::uint64_t request = 0;   ///< number of its request, from 0
    Operation operation = Operation::read;
    Lba lba;
    std::uint32_t sectors = 0;  ///< 1-65536
    bool fua = false;
    bool queued = true;
    std::uint16_t tag = 0;                  ///< slot in the host. SATA: the tag 0-31; 32 if not queued
    std::vector<TrimRange> ranges;          ///< trim. SATA: at most 65,535 sectors each
    std::vector<std::uint64_t> identities;  ///< write: content identities of the 4 KiB blocks, or empty
    ContentLayout identity_layout;          ///< write: which sectors each identity covers
    std::span<std::byte> data;              ///< read, write: its part of Request::data, or empty

    /// Content of the data, content_stride() bytes per sector. Write: that of `data`, or filled by the
    /// observer in issued(). Read: filled by the transfer, complete in completed(). Empty with
    /// ContentMode::none.
    std::vector<std::byte> content;
    std::vector<std::byte> expected;  ///< for use by the observer

    Ps arrival{0};    ///< when the host wanted it; the ledger starts at this time
    Ps issued_at{0};  ///< when its Register FIS or doorbell was last queued for the link
    Ps completed_at{0};
    /// number of times it was issued again because another command's error aborted it
    std::uint32_t retries = 0;
    CommandStatus status = CommandStatus::ok;
    FailureKind failure = FailureKind::power_lost;  ///< valid for a failed command
    Lba error_lba;  ///< valid for a failed command: the reported place of the error
    hal::Ledger ledger;
    /// Whether the command failed in this way.
    [[nodiscard]] bool failed_by(FailureKind kind) const {
        return status == CommandStatus::failed && failure == kind;
    }
    Ps residual{0};  ///< completed_at - arrival - ledger.total(); nonzero is a bug
};

class CommandObserver {
  public:
    virtual ~CommandObserver() = default;
    /// The command is about to be sent. The device accepts commands in this order. Called again, with retries
    /// > 0 and the same content, when the command is issued again after an error.
    virtual void issued(Command& command) = 0;
    /// The command completed or failed.
    virtual void completed(Command& command) = 0;
    /// The source is exhausted and no command is outstanding.
    virtual void finished() = 0;
};

}  // namespace solidtlm::testbench
