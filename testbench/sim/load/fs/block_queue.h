// SPDX-License-Identifier: Apache-2.0
//
// The block layer: requests of the file system that wait until the host takes them, and the threads that wait
// for their ends.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fw/runtime/join.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/fs/config.h"
#include "testbench/sim/load/fs/host_scheduler.h"

namespace solidtlm::testbench::fs {

/// The purpose of a request.
enum class Purpose : std::uint8_t {
    data_read,
    data_write,
    metadata_write,      ///< to its final place, after it was in the journal (checkpoint)
    journal_log,         ///< descriptors, copies of metadata, revoke records
    journal_commit,      ///< commit block
    journal_superblock,  ///< the journal's superblock, with its tail
    flush,
    trim
};
constexpr std::size_t kPurposes = 8;

struct PurposeCounts {
    std::uint64_t requests = 0;
    std::uint64_t blocks = 0;
    std::uint64_t extents = 0;  ///< for trims: number of ranges
    Ps busy{0};                 ///< sum of the times from submission to end
};

class BlockQueue {
  public:
    explicit BlockQueue(HostScheduler& scheduler) : scheduler_(scheduler) {}

    /// Queues reads or writes, one request per extent. `done` is notified of each end and must exist until
    /// then.
    void transfer(Purpose purpose, std::span<const Extent> extents, fw::Join& done, bool fua = false);
    /// Queues a FLUSH CACHE.
    void flush(fw::Join& done);
    /// Queues one TRIM with several extents.
    void trim(std::span<const Extent> extents, bool queued, fw::Join& done);

    /// Takes the oldest queued request.
    bool next(Request& request);
    void completed(std::uint64_t token, bool ok);

    [[nodiscard]] bool idle() const { return outstanding_ == 0; }
    [[nodiscard]] const PurposeCounts& counts(Purpose purpose) const {
        return counts_[static_cast<std::size_t>(purpose)];
    }
    [[nodiscard]] std::uint64_t failed() const { return failed_; }
    /// The purpose of the request with this token, which was taken and has not ended.
    [[nodiscard]] Purpose purpose(std::uint64_t token) const { return slots_[token].purpose; }

  private:
    struct Slot {
        Purpose purpose = Purpose::flush;
        fw::Join* done = nullptr;
        Ps submitted{0};
    };
    Request& submit(Purpose purpose, Operation operation, fw::Join& done);

    HostScheduler& scheduler_;
    std::deque<Request> waiting_;
    std::vector<Slot> slots_;  ///< by token
    std::vector<std::uint64_t> free_slots_;
    std::uint64_t outstanding_ = 0;
    std::uint64_t failed_ = 0;
    std::array<PurposeCounts, kPurposes> counts_{};
};

/// Sorts the extents by place and joins neighbours.
void merge_extents(std::vector<Extent>& extents);

}  // namespace solidtlm::testbench::fs
