// SPDX-License-Identifier: Apache-2.0
//
// The hash unit: computes CRC-32 or MD5 over DRAM content for deduplication, one job after the other. Jobs
// with HashJob::priority go before those without it; otherwise first come first served. A running job is
// never interrupted.
//
// A job first reads its data into the unit's buffer by a timed access through a queued DRAM port (Dram's
// hash_target), then takes HashConfig's time for 4 KiB in proportion to its bytes (rounded down to whole ps).
// The next job's read begins when the job before has finished: there is one buffer.
//
// Digests are computed over real bytes. With ContentMode::tags these are the bytes that belong to each
// sector's identity (hw/tlm/content.h), so equal contents have equal digests in both modes. ContentMode::none
// has nothing to hash, so a job is a fatal error.
//
// Ledger: Stage::hash from submission while waiting for the unit, dram_wait and dram_transfer for the read,
// Stage::hash again for the computation, and firmware_wait from the instant `done` is called.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/hash.h"
#include "fw/hal/metrics.h"
#include "hw/hash/config.h"
#include "hw/hash/digest.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/time.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

struct HashStatistics {
    std::uint64_t crc32_jobs = 0;
    std::uint64_t md5_jobs = 0;
    std::uint64_t bytes = 0;
    Ps busy{0};     ///< from the start of the DRAM read to the digest, for finished jobs
    Ps hashing{0};  ///< the part of `busy` after the data had arrived
    std::size_t max_waiting = 0;

    void tell(hal::Metrics& metrics) const;
};

class HashUnit : public AgendaModule, public hal::Hash, private DramClient {
  public:
    DramSocket dram_init;

    HashUnit(const sc_core::sc_module_name& name, const HashConfig& config);

    /// REQUIRES: job.bytes is a positive multiple of 512.
    void submit(hal::HashJob& job) override;
    /// Forgets all jobs; their `done` is never called.
    void power_cut();

    [[nodiscard]] const HashStatistics& statistics() const { return statistics_; }
    /// Time of the computation alone.
    [[nodiscard]] Ps hash_time(hal::HashFunction function, std::uint32_t bytes) const;
    /// Jobs that wait for the running one.
    [[nodiscard]] std::size_t waiting() const { return state_.urgent.size() + state_.waiting.size(); }
    /// When the running job ends; WakeUp::kNever: none runs, or the arrival of its data is not known yet.
    [[nodiscard]] Ps done_at() const { return done_.at(); }

  private:
    // DramClient.
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;

    void finish();

    void start_next();
    /// The data of the running job are in the buffer at `arrived`.
    void data_read(Ps arrived, const DramTimes& times);
    void compute(hal::HashJob& job);

    const HashConfig config_;
    /// Firmware hashes one page at a time while it destages, and one while the host is idle.
    static constexpr std::size_t kMostJobs = 64;
    struct Volatile {
        Ring<hal::HashJob*> urgent{kMostJobs};   ///< jobs with priority
        Ring<hal::HashJob*> waiting{kMostJobs};  ///< jobs without priority
        hal::HashJob* running = nullptr;
        Ps began{0};  ///< begin of the running job
    } state_;
    std::uint64_t read_ = 0;         ///< number of the read: answers from before a power cut do not match it
    std::vector<std::byte> buffer_;  ///< content of the running job; never shrinks
    WakeUp done_{*this, kCall<&HashUnit::finish>};
    Digest digest_;
    HashStatistics statistics_;
};

}  // namespace solidtlm::hw
