// SPDX-License-Identifier: Apache-2.0
#include "hw/hash/hash_unit.h"

#include <algorithm>

namespace solidtlm::hw {
namespace {

constexpr const char* kMessageType = "/ssd/hash";

void mark(hal::HashJob& job, hal::Stage stage, Ps at) {
    if (job.ledger != nullptr) {
        job.ledger->enter(stage, at);
    }
}

}  // namespace

void HashStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("hash.crc32_jobs", "jobs", "CRC32 values computed", crc32_jobs);
    metrics.counter("hash.md5_jobs", "jobs", "MD5 values computed", md5_jobs);
    metrics.counter("hash.bytes", "B", "bytes hashed", bytes);
    metrics.time("hash.busy_us", "time from the start of a DRAM read to the digest", busy);
    metrics.time("hash.hashing_us", "the part of hash.busy_us after the data had arrived", hashing);
    metrics.maximum("hash.max_waiting", "jobs", "most jobs that waited at once", max_waiting);
}

HashUnit::HashUnit(const sc_core::sc_module_name& name, const HashConfig& config)
    : AgendaModule(name), dram_init("dram_init", kMostJobs), config_(config) {}

Ps HashUnit::hash_time(hal::HashFunction function, std::uint32_t bytes) const {
    const Ps per_4k = function == hal::HashFunction::crc32 ? config_.crc32_per_4k : config_.md5_per_4k;
    return per_4k * std::int64_t{bytes} / 4096;
}

void HashUnit::submit(hal::HashJob& job) {
    if (config_.content == hal::ContentMode::none) {
        SC_REPORT_FATAL(kMessageType, "invalid argument: without content there is nothing to hash");
    }
    if (job.bytes == 0 || job.bytes % hal::kSectorBytes != 0) {
        SC_REPORT_FATAL(kMessageType, "invalid argument: a job is a positive multiple of 512 bytes");
    }
    mark(job, hal::Stage::hash, now());
    (job.priority ? state_.urgent : state_.waiting).push(&job);
    if (state_.running == nullptr) {
        start_next();
    }
    statistics_.max_waiting = std::max(statistics_.max_waiting, waiting());
}

void HashUnit::power_cut() {
    state_ = {};
    done_.disarm();
    ++read_;
}

void HashUnit::start_next() {
    state_.running = state_.urgent.empty() ? state_.waiting.pop() : state_.urgent.pop();
    state_.began = now();
    mark(*state_.running, hal::Stage::dram_wait, state_.began);
    buffer_.resize(std::max(buffer_.size(), hal::content_bytes(config_.content, state_.running->bytes)));
    const auto times = dram_init.access(
        DramRequest{false, state_.running->source, state_.running->bytes, buffer_.data(), this, ++read_},
        now());
    if (times) {
        data_read(now() + times->sum(), *times);
    }
}

void HashUnit::dram_granted(std::uint64_t id, Ps end, const DramTimes& times) {
    if (id == read_) {
        data_read(end, times);
    }
}

void HashUnit::data_read(Ps arrived, const DramTimes& times) {
    mark(*state_.running, hal::Stage::dram_transfer, arrived - times.transfer);
    mark(*state_.running, hal::Stage::hash, arrived);
    done_.arm(arrived + hash_time(state_.running->function, state_.running->bytes));
}

void HashUnit::finish() {
    hal::HashJob& job = *state_.running;
    compute(job);
    state_.running = nullptr;
    statistics_.busy += now() - state_.began;
    statistics_.hashing += hash_time(job.function, job.bytes);
    if (waiting() > 0) {
        start_next();
    }
    mark(job, hal::Stage::firmware_wait, now());
    job.done();
}

void HashUnit::compute(hal::HashJob& job) {
    ++(job.function == hal::HashFunction::crc32 ? statistics_.crc32_jobs : statistics_.md5_jobs);
    statistics_.bytes += job.bytes;
    job.digest = digest_.of(job.function, config_.content, buffer_.data(), job.bytes);
}

}  // namespace solidtlm::hw
