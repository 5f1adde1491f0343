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
    metrics.counter("hash.bytes", "B", "hashed", bytes);
    metrics.time("hash.busy_us", "from the start of the DRAM read to the digest", busy);
    metrics.time("hash.hashing_us", "the part of hash.busy_us after the data had arrived", hashing);
    metrics.maximum("hash.max_waiting", "jobs", "that waited at once", max_waiting);
}

HashUnit::HashUnit(const sc_core::sc_module_name& name, const HashConfig& config)
    : AgendaModule(name), dram_init("dram_init"), config_(config) {
    dram_init.register_nb_transport_bw(this, &HashUnit::nb_transport_bw);
}

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
    (job.priority ? urgent_ : waiting_).push(&job);
    if (running_ == nullptr) {
        start_next();
    }
    statistics_.max_waiting = std::max(statistics_.max_waiting, waiting());
}

void HashUnit::power_cut() {
    urgent_.clear();
    waiting_.clear();
    running_ = nullptr;
    done_.disarm();
    if (reading_ != nullptr) {
        reading_->release();
        reading_ = nullptr;
    }
}

void HashUnit::start_next() {
    running_ = urgent_.empty() ? waiting_.pop() : urgent_.pop();
    began_ = now();
    mark(*running_, hal::Stage::dram_wait, began_);
    buffer_.resize(std::max(buffer_.size(), hal::content_bytes(config_.content, running_->bytes)));
    tlm::tlm_generic_payload& payload =
        payloads_.take(tlm::TLM_READ_COMMAND, running_->source.value, buffer_.data(), running_->bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    reading_ = &payload;
    if (dram_init->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
        data_read(payload, to_ps(delay));
    }
}

tlm::tlm_sync_enum HashUnit::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kMessageType, "unknown phase from the DRAM");
    }
    if (&payload == reading_) {  // otherwise it was read for a job that a power cut ended
        data_read(payload, to_ps(delay));
    }
    return tlm::TLM_COMPLETED;
}

void HashUnit::data_read(tlm::tlm_generic_payload& payload, Ps delay) {
    const Ps arrived = now() + delay;
    const auto& extension = *payload.get_extension<DramExtension>();
    mark(*running_, hal::Stage::dram_transfer, arrived - extension.transfer);
    mark(*running_, hal::Stage::hash, arrived);
    reading_ = nullptr;
    payload.release();
    done_.arm(arrived + hash_time(running_->function, running_->bytes));
}

void HashUnit::finish() {
    hal::HashJob& job = *running_;
    compute(job);
    running_ = nullptr;
    statistics_.busy += now() - began_;
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
