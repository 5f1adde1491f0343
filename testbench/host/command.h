// SPDX-License-Identifier: Apache-2.0
//
// One command of the host, from its arrival to its completion, and its observers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/ledger.h"
#include "testbench/host/failure_kind.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench {

enum class CommandStatus : std::uint8_t { ok, failed };

struct Command {
    std::uint64_t sequence = 0;  ///< order of first issue, from 0
    std::uint64_t request = 0;   ///< number of the request it belongs to, from 0
    Operation operation = Operation::read;
    Lba lba;
    std::uint32_t sectors = 0;  ///< 1-65536
    bool fua = false;
    bool queued = true;
    std::uint16_t tag = 0;                  ///< its slot in the host. SATA: the tag 0-31; 32 when not queued
    std::vector<TrimRange> ranges;          ///< trim. SATA: at most 65,535 sectors each
    std::vector<std::uint64_t> identities;  ///< write: content identity of each 4 KiB block, or empty
    ContentLayout identity_layout;          ///< write: which sectors each of them stands for
    std::span<std::byte> data;              ///< read, write: its part of Request::data, or empty

    /// Content of the data, content_stride() bytes per sector. Write: that of `data`, or filled by the
    /// observer in issued(). Read: filled by the transfer, complete in completed(). Empty with
    /// ContentMode::none.
    std::vector<std::byte> content;
    std::vector<std::byte> expected;  ///< the observer's own

    Ps arrival{0};    ///< when the host wanted it; the ledger starts here
    Ps issued_at{0};  ///< when its Register FIS or its doorbell was queued for the link (the last time)
    Ps completed_at{0};
    std::uint32_t retries = 0;  ///< how often it was issued again because another command's error aborted it
    CommandStatus status = CommandStatus::ok;
    FailureKind failure = FailureKind::power_lost;  ///< of a command that failed
    Lba error_lba;                                  ///< of a command that failed: where, as returned
    hal::Ledger ledger;
    /// It failed, and like this.
    [[nodiscard]] bool failed_by(FailureKind kind) const {
        return status == CommandStatus::failed && failure == kind;
    }
    Ps residual{0};  ///< completed_at - arrival - ledger.total(); not 0: a bug
};

class CommandObserver {
  public:
    virtual ~CommandObserver() = default;
    /// The command is about to be sent. Commands are accepted by the device in this order. Called again, with
    /// retries > 0 and the content of the first time, when it is issued again after an error.
    virtual void issued(Command& command) = 0;
    /// The command completed or failed.
    virtual void completed(Command& command) = 0;
    /// The source is exhausted and nothing is outstanding.
    virtual void finished() = 0;
};

}  // namespace solidtlm::testbench
