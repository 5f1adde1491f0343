// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/nvme_host.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::testbench {

namespace nvme = hw::nvme;
using hal::Stage;
using hw::get_little_endian;
using hw::now;

namespace {

constexpr nvme::Word kDeallocate = 1U << 2U;
constexpr nvme::Word kForceUnitAccess = 1U << 30U;
constexpr std::size_t kRangeBytes = 16;
constexpr std::uint32_t kMostRanges = 256;
constexpr std::uint32_t kBlockRanges = 64;  // Splitter::Limits::max_dsm_blocks
constexpr unsigned kStatusMask = 0x7FF;     // status code and its type

FailureKind failure_of(std::uint16_t status) {
    switch (static_cast<nvme::Status>(status)) {
        case nvme::Status::unrecovered_read:
            return FailureKind::uncorrectable;
        case nvme::Status::lba_out_of_range:
            return FailureKind::id_not_found;
        case nvme::Status::write_fault:
            return FailureKind::write_fault;
        default:
            return FailureKind::aborted;
    }
}

void encode_ranges(const std::vector<TrimRange>& ranges, std::vector<std::byte>& bytes) {
    bytes.assign(ranges.size() * kRangeBytes, std::byte{0});
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::span entry = std::span(bytes).subspan(i * kRangeBytes, kRangeBytes);
        hw::put_little_endian(entry.subspan(4, 4), ranges[i].sectors);
        hw::put_little_endian(entry.subspan(8, 8), ranges[i].lba.value);
    }
}

}  // namespace

NvmeHost::NvmeHost(const sc_core::sc_module_name& name, const HostConfig& config, const NvmeHostConfig& nvme,
                   hw::NvmeDevice& drive, RequestSource& source, const Pacing& pacing,
                   CommandObserver& observer)
    : Host(name, config, source, pacing, observer, drive.agenda(), nvme.commands),
      nvme_(nvme),
      drive_(drive),
      memory_(nvme.queues, nvme.queue_entries, nvme.commands),
      pairs_(std::size_t{nvme.queues} + 1),
      queue_of_slot_(nvme.commands) {
    SOLIDTLM_CHECK(nvme.queues >= 1 && nvme.queue_entries >= 2 && nvme.vectors >= 1 &&
                       nvme.commands <= nvme.queues * (nvme.queue_entries - 1),
                   "the queues have room for the commands");
    memory_target.register_nb_transport_fw(this, &NvmeHost::nb_transport_fw);
    drive.set_ledgers([this](std::uint16_t queue, std::uint16_t id) { return ledger_of(queue, id); });
    drive.set_link_up({[](void* self) { static_cast<NvmeHost*>(self)->drive_came(); }, this});
    for (std::uint32_t slot = nvme.commands; slot-- > 0;) {
        free_slots_.push_back(static_cast<std::uint16_t>(slot));
    }
}

/// The ledger of a request's command; null for the driver's own commands.
hal::Ledger* NvmeHost::ledger_of(std::uint16_t queue, std::uint16_t id) const {
    NvmeJob* job = queue == 0 ? nullptr : job_of(id);
    return job != nullptr ? &job->command.ledger : nullptr;
}

Splitter::Limits NvmeHost::limits() const {
    return {std::min(config_.max_sectors, max_sectors_), kMostRanges / kBlockRanges, ~0U};
}

void NvmeHost::slot_freed(std::uint16_t slot) {
    --pairs_[queue_of_slot_[slot]].outstanding;
    free_slots_.push_back(slot);
}

void NvmeHost::go_on() {
    issue();
    check_finished();
}

void NvmeHost::issue() {
    while (running_) {
        Job* job = next_job();
        if (job == nullptr || free_slots_.empty() || conflicts(job->command) || !submitted(*job)) {
            break;
        }
        take_next();
        send(static_cast<NvmeJob&>(*job));
    }
    for (std::uint32_t queue = 1; queue < pairs_.size(); ++queue) {
        if (!pairs_[queue].sent.empty()) {
            ring(queue);
        }
    }
}

/// The next queue in turn that has room.
std::uint32_t NvmeHost::choose_queue() {
    do {
        next_queue_ = next_queue_ % nvme_.queues + 1;
    } while (pairs_[next_queue_].outstanding == pairs_[next_queue_].entries - 1);
    return next_queue_;
}

void NvmeHost::send(NvmeJob& job) {
    const std::uint16_t slot = free_slots_.back();
    const std::uint32_t queue = choose_queue();
    free_slots_.pop_back();
    queue_of_slot_[slot] = queue;
    ++pairs_[queue].outstanding;
    job.command.queued = true;
    issue_in(slot, job);
    put(queue, encode(job));
    job.command.ledger.enter(Stage::doorbell, now());
    pairs_[queue].sent.push_back(&job);
}

nvme::Command NvmeHost::encode(NvmeJob& job) const {
    const Command& command = job.command;
    nvme::Command entry;
    entry.id = command.tag;
    entry.nsid = 1;
    entry.prp1 = NvmeMemory::data(command.tag);
    job.memory = job.command.content;
    job.stride = config_.content == hal::ContentMode::bytes ? 0 : hal::content_stride(config_.content);
    switch (command.operation) {
        case Operation::read:
        case Operation::write: {
            const bool read = command.operation == Operation::read;
            entry.opcode = static_cast<std::uint8_t>(read ? nvme::IoOpcode::read : nvme::IoOpcode::write);
            entry.words[0] = static_cast<Word>(command.lba.value);
            entry.words[1] = static_cast<Word>(command.lba.value >> 32U);
            entry.words[2] = (command.sectors - 1) | (command.fua ? kForceUnitAccess : 0);
            const std::uint32_t bytes = command.sectors * hal::kSectorBytes;
            entry.prp2 = bytes > 2 * nvme::kPageBytes ? memory_.list(command.tag)
                         : bytes > nvme::kPageBytes   ? entry.prp1 + nvme::kPageBytes
                                                      : 0;
            break;
        }
        case Operation::trim:
            encode_ranges(command.ranges, job.ranges);
            job.memory = job.ranges;
            job.stride = 0;
            entry.opcode = static_cast<std::uint8_t>(nvme::IoOpcode::dataset_management);
            entry.words[0] = static_cast<Word>(command.ranges.size() - 1);
            entry.words[1] = kDeallocate;
            break;
        case Operation::flush:
            entry.opcode = static_cast<std::uint8_t>(nvme::IoOpcode::flush);
            break;
    }
    return entry;
}

void NvmeHost::put(std::uint32_t queue, const nvme::Command& command) {
    Pair& pair = pairs_[queue];
    const std::uint64_t place = memory_.submission(queue) + std::uint64_t{pair.tail} * nvme::kSqeBytes;
    nvme::encode(command, memory_.at(place, nvme::kSqeBytes).first<nvme::kSqeBytes>());
    pair.put();
}

void NvmeHost::ring(std::uint32_t queue) {
    Pair& pair = pairs_[queue];
    const Ps known = now() + ring_submission(queue);
    for (Job* job : pair.sent) {
        job->command.ledger.enter(Stage::sq_fetch, known);
    }
    pair.sent.clear();
}

tlm::tlm_sync_enum NvmeHost::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                             sc_core::sc_time& /*delay*/) {
    const std::span bytes(reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length());
    const bool ok = access(payload.is_write(), payload.get_address(), bytes);
    payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

/// The drive reads or writes memory, at the instant at which the bytes are there. False: the address is not
/// memory.
bool NvmeHost::access(bool write, std::uint64_t address, std::span<std::byte> bytes) {
    std::span<std::byte> place;
    if (const auto data = NvmeMemory::data_at(address)) {
        const NvmeJob* job = job_of(data->slot);
        const std::size_t begin = job == nullptr     ? 0
                                  : job->stride == 0 ? data->offset
                                                     : data->offset / hal::kSectorBytes * job->stride;
        if (job == nullptr || begin > job->memory.size() || bytes.size() > job->memory.size() - begin) {
            return false;
        }
        place = job->memory.subspan(begin, bytes.size());
    } else if (address == NvmeMemory::kMessages && write) {
        interrupted(static_cast<Word>(get_little_endian(bytes)));
        return true;
    } else {
        place = memory_.find(address, bytes.size());
    }
    if (place.size() != bytes.size()) {
        return false;
    }
    if (!write) {
        std::ranges::copy(place, bytes.begin());
        return true;
    }
    std::ranges::copy(bytes, place.begin());
    if (const auto queue = memory_.completion_queue_at(address)) {
        take_completions(*queue);
    }
    return true;
}

/// Handles completion entries whose phase bit marks them as new.
void NvmeHost::take_completions(std::uint32_t queue) {
    Pair& pair = pairs_[queue];
    while (true) {
        const std::uint64_t place = memory_.completion(queue) + std::uint64_t{pair.head} * nvme::kCqeBytes;
        const std::span<const std::byte> entry = memory_.at(place, nvme::kCqeBytes);
        if (!pair.take(entry)) {
            break;
        }
        take_completion(queue, entry);
    }
    if (queue != 0 && nvme_.polls) {
        end_jobs(queue);
    }
}

void NvmeHost::take_completion(std::uint32_t queue, std::span<const std::byte> entry) {
    const auto id = static_cast<std::uint16_t>(get_little_endian(entry.subspan(12, 2)));
    const auto status =
        static_cast<std::uint16_t>(get_little_endian(entry.subspan(14, 2)) >> 1U & kStatusMask);
    NvmeJob* job = queue == 0 ? nullptr : job_of(id);
    if (job == nullptr) {
        own_ended(queue, status, static_cast<Word>(get_little_endian(entry.first(4))));
        return;
    }
    Command& command = job->command;
    command.status = status == 0 ? CommandStatus::ok : CommandStatus::failed;
    command.failure = failure_of(status);
    command.error_lba = command.lba;  // NVMe does not report the place
    command.ledger.enter(Stage::interrupt_wait, now());
    job->posted = true;
    pairs_[queue].ended.push_back(job);
}

void NvmeHost::interrupted(Word vector) {
    for (std::uint32_t queue = 1; queue < pairs_.size(); ++queue) {
        if (pairs_[queue].vector == vector) {
            end_jobs(queue);
        }
    }
}

/// The host handles the completions that have arrived.
void NvmeHost::end_jobs(std::uint32_t queue) {
    Pair& pair = pairs_[queue];
    if (pair.ended.empty()) {
        return;
    }
    ring_completion(queue);
    for (Job* job : pair.ended) {
        job_ended(*job);
    }
    pair.ended.clear();
    go_on();
}

void NvmeHost::power_cut() {
    running_ = false;
    for (Pair& pair : pairs_) {
        pair.sent.clear();
        pair.ended.clear();
    }
    settle();
    forget_work();
    lose({});
}

}  // namespace solidtlm::testbench
