// SPDX-License-Identifier: Apache-2.0
//
// Pages of the map area and of the recovery log on their way between flash and DRAM.
#pragma once

#include <array>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/pool_order.h"
#include "fw/flash/carry_out.h"
#include "fw/flash/spare.h"
#include "fw/hal/check.h"
#include "fw/runtime/semaphore.h"

namespace solidtlm::fw {

/// An operation on one page, with a DRAM buffer that holds a page.
struct PageJob {
    hal::FlashOp op;
    std::vector<hal::FlashPiece> pieces;
    std::array<std::byte, hal::kMaxSpareBytes> spare{};
    DramAddress buffer;

    /// The first `bytes` of page and buffer are to be moved.
    void move(std::uint32_t bytes) { pieces.assign(1, hal::FlashPiece{0, 0, bytes, buffer}); }
    /// `op` moves `pieces` and, `with_spare`, the spare area of the page `at`.
    void prepare(const Services& services, hal::FlashOpcode opcode, const hal::FlashAddress& at,
                 bool with_spare) {
        op = plane_op(services, opcode, at);
        op.pieces = pieces;
        if (with_spare) {
            op.spare = std::span(spare).first(spare_bytes(services.layout.units_per_page()));
        }
    }
    /// `op` programs `pieces` and a spare area with one name (may be kNoLpn) to the page `at`.
    void prepare_program(const Services& services, const hal::FlashAddress& at, const SpareHeader& header,
                         Lpn name = kNoLpn) {
        prepare(services, hal::FlashOpcode::program, at, true);
        encode_spare(header, name, op.spare);
    }
};

/// `Job` is a PageJob, or derives from it.
template <class Job>
class JobPool {
  public:
    /// `name` describes the jobs, for reports. `next`: the DRAM address of the first buffer; the others
    /// follow it, with `bytes` each.
    JobPool(Executor& executor, const char* name, std::uint32_t jobs, DramAddress next, std::uint32_t bytes)
        : credits_(executor, name, jobs), jobs_(jobs) {
        for (Job& job : jobs_) {
            job.buffer = next;
            next.value += bytes;
            free_.push_back(&job);
        }
    }

    /// Waits for a job. The caller then gets one with take().
    [[nodiscard]] Semaphore::Awaiter acquire() { return credits_.acquire(1); }
    /// REQUIRES: acquire() has ended.
    Job& take() {
        SOLIDTLM_CHECK(!free_.empty(), "take() follows acquire()");
        Job& job = *free_.back();
        free_.pop_back();
        return job;
    }
    void give_back(Job& job) {
        free_.push_back(&job);
        credits_.release(1);
    }
    void serialize(hal::StateArchive& archive) { serialize_order(archive, jobs_, free_); }

  private:
    Semaphore credits_;
    std::vector<Job> jobs_;
    std::vector<Job*> free_;
};

}  // namespace solidtlm::fw
