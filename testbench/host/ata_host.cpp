// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/ata_host.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"
#include "hw/sata/dsm.h"
#include "testbench/process/interruption.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;
using hal::Stage;
using hw::now;

namespace {

bool changes(const Command& command) {
    return command.operation == Operation::write || command.operation == Operation::trim;
}

/// Calls `look(range)` for each, until one says yes.
template <class Look>
bool any_range(const Command& command, Look look) {
    return command.operation == Operation::trim ? std::ranges::any_of(command.ranges, look)
                                                : look(TrimRange{command.lba, command.sectors});
}

/// They have sectors in common.
bool meet(const Command& one, const Command& other) {
    return any_range(one, [&other](const TrimRange& mine) {
        return any_range(other, [&mine](const TrimRange& theirs) {
            return mine.lba.value < theirs.lba.value + theirs.sectors &&
                   theirs.lba.value < mine.lba.value + mine.sectors;
        });
    });
}

}  // namespace

AtaHost::AtaHost(const sc_core::sc_module_name& name, const HostConfig& config, DevicePort& port,
                 RequestSource& source, const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda)
    : AgendaModule(name, &agenda),
      config_(config),
      port_(port),
      source_(source),
      feedback_(source.feedback()),
      pacing_(pacing),
      observer_(observer),
      littles_law_(pacing.loop()),
      coalescing_left_(config.coalesce_time) {
    port_.set_user(*this);
}

std::uint32_t AtaHost::outstanding() const {
    return static_cast<std::uint32_t>(std::popcount(active_mask_)) +
           (active_[ata::kNoTag] != nullptr ? 1U : 0U);
}

std::vector<const Command*> AtaHost::outstanding_commands() const {
    std::vector<const Command*> commands;
    for (const Job* job : active_) {
        if (job != nullptr) {
            commands.push_back(&job->command);
        }
    }
    return commands;
}

/// Sends what can be sent now: something has come, or the time of a request.
void AtaHost::go_on() {
    issue();
    check_finished();
}

void AtaHost::pass_through(PassThrough& command) {
    command.ended = false;
    command.data.clear();
    pass_through_.push(&command);
    if (state_ == State::running) {
        at<&AtaHost::go_on>(now());
    }
}

void AtaHost::issue() {
    if (!pass_through_.empty()) {
        if (state_ == State::running && internal_ == Internal::none && !port_.busy() && outstanding() == 0) {
            start_internal(Internal::pass_through);
        }
        return;
    }
    // While the device accepts a command, the processor may submit the next one.
    const bool submits_ahead = config_.submit_time > Ps{0};
    while (state_ == State::running && (!port_.busy() || submits_ahead) && active_[ata::kNoTag] == nullptr) {
        Job* job = next_job();
        if (job == nullptr) {
            return;
        }
        const std::uint32_t tags = depth_ == ata::kTags ? ~0U : (1U << depth_) - 1U;
        const bool room = job->command.queued ? (~active_mask_ & tags) != 0 : active_mask_ == 0;
        if (!room || (!port_.keeps_order() && conflicts(job->command)) || !submitted(*job) || port_.busy()) {
            return;
        }
        if (job == next_) {
            next_ = nullptr;
        } else {
            retries_.pop();
        }
        send_command(*job);
    }
}

// The command to be issued next: aborted ones first, then what the requests give.
AtaHost::Job* AtaHost::next_job() {
    if (!retries_.empty()) {
        return retries_.front();
    }
    if (next_ == nullptr && (record_ != nullptr || next_request())) {
        Job& job = take_job();
        splitter_.next(job.command);
        Command& command = job.command;
        if (facts_.queue_depth == 0 || (command.operation == Operation::trim && !queued_trim_)) {
            command.queued = false;
        }
        job.request = record_;
        ++record_->commands_left;
        command.request = record_->number;
        command.arrival = record_->arrival;
        command.ledger.start(Stage::host_queue, record_->arrival);
        if (splitter_.done()) {
            record_->all_issued = true;
            record_ = nullptr;
        }
        next_ = &job;
    }
    return next_;
}

bool AtaHost::interrupted() {
    if (Interruption::signal() != 0 && !exhausted_) {
        interrupted_at_ = now();
    }
    return interrupted_at_.has_value();
}

// Takes a request from the source, if it has one now.
bool AtaHost::pull() {
    exhausted_ |= interrupted();
    if (exhausted_) {
        return false;
    }
    if (feedback_ != nullptr) {
        feedback_->advance(now() - base_);
    }
    if (source_.next(request_)) {
        if (source_waits_) {
            source_waits_ = false;
            admission_.not_before(now());
        }
        return true;
    }
    exhausted_ = interrupted() || feedback_ == nullptr || feedback_->ended();
    source_waits_ = !exhausted_;
    if (source_waits_) {
        littles_law_.reset();
        const auto wakes_at = feedback_->wakes_at();
        const bool armed = wakes_at_ > now() && wakes_at && wakes_at_ <= base_ + *wakes_at;
        if (wakes_at && !armed) {
            wakes_at_ = base_ + *wakes_at;
            at<&AtaHost::go_on>(wakes_at_);
        }
    }
    return false;
}

/// The request that waits comes after the last one. False: there is none.
bool AtaHost::drop_request() {
    ++statistics_.dropped;
    request_waits_ = false;
    exhausted_ = true;
    return false;
}

// Pulls the next request and sees whether it may begin.
bool AtaHost::next_request() {
    if (!request_waits_) {
        do {
            if (!pull()) {
                return false;
            }
        } while ((request_.operation == Operation::trim && request_.ranges.empty()) ||
                 (request_.operation < Operation::trim && request_.sectors == 0));
        request_waits_ = true;
        if (const auto due = pacing_.due(request_, base_); due && *due > now()) {
            if (*due >= config_.until) {
                return drop_request();
            }
            at<&AtaHost::go_on>(*due);
        }
    }
    const auto arrival = admit();
    if (!arrival) {
        return false;
    }
    if (*arrival >= config_.until) {
        return drop_request();
    }
    request_waits_ = false;
    record_ = &take_record();
    record_->number = statistics_.requests++;
    record_->token = request_.token;
    record_->arrival = *arrival;
    splitter_.begin(request_, Splitter::Limits{std::min(config_.max_sectors, ata::kMaxTransferSectors),
                                               std::max(facts_.max_dsm_blocks, 1U)});
    return true;
}

/// When the request has arrived that waits; nothing: not yet.
std::optional<Ps> AtaHost::admit() {
    if (const auto due = pacing_.due(request_, base_)) {
        if (*due > now()) {
            return std::nullopt;
        }
        admission_.admit_at(now());
        return due;
    }
    if (const auto depth = pacing_.depth(request_)) {
        return admission_.admit(*depth);
    }
    admission_.admit_at(now());
    return now();
}

/// With an outstanding command, if the two could be carried out in the wrong order.
bool AtaHost::conflicts(const Command& command) const {
    return std::ranges::any_of(active_, [&command](const Job* job) {
        return job != nullptr && (changes(job->command) || changes(command)) && meet(job->command, command);
    });
}

void AtaHost::send_command(Job& job) {
    Command& command = job.command;
    const std::uint8_t tag =
        command.queued ? static_cast<std::uint8_t>(std::countr_one(active_mask_)) : ata::kNoTag;
    command.tag = tag;
    command.issued_at = now();
    active_[tag] = &job;
    if (command.queued) {
        active_mask_ |= 1U << tag;
    }
    if (command.retries == 0) {
        command.sequence = next_sequence_++;
        ++statistics_.commands;
    }
    run_coalescing();
    statistics_.max_outstanding = std::max(statistics_.max_outstanding, outstanding());
    prepare_content(job);
    job.wire.tag = tag;
    job.wire.registers = registers(job);
    job.wire.ledger = &command.ledger;
    port_.begin(job.wire);
}

void AtaHost::prepare_content(Job& job) {
    Command& command = job.command;
    const bool transfers = command.operation == Operation::read || command.operation == Operation::write;
    PortCommand& wire = job.wire;
    wire.to_device = command.operation == Operation::write || command.operation == Operation::trim;
    wire.data_bytes = transfers ? command.sectors * hal::kSectorBytes : 0;
    const std::size_t size = hal::content_bytes(config_.content, wire.data_bytes);
    if (command.retries == 0) {
        command.content.assign(command.operation == Operation::read ? size : 0, std::byte{0});
        if (command.operation == Operation::write && !command.data.empty()) {
            SOLIDTLM_CHECK(command.data.size() == size, "contents are given where sectors have bytes");
            command.content.assign(command.data.begin(), command.data.end());
        }
    }
    observer_.issued(command);
    command.content.resize(size);  // an observer that gives no content writes zeros
    wire.mode = config_.content;
    wire.content = command.content;
    if (command.operation == Operation::trim) {
        hw::encode_dsm(command.ranges, job.dsm_blocks);
        wire.data_bytes = static_cast<std::uint32_t>(job.dsm_blocks.size());
        wire.mode = hal::ContentMode::bytes;
        wire.content = job.dsm_blocks;
    }
}

hw::RegisterH2d AtaHost::registers(const Job& job) const {
    const Command& command = job.command;
    hw::RegisterH2d fis;
    fis.device = ata::kDeviceLba;
    fis.lba = command.lba;
    const auto tag_field = static_cast<std::uint16_t>(command.tag << 3U);
    const auto amount = static_cast<std::uint16_t>(
        command.operation == Operation::trim ? job.wire.data_bytes / hw::kDsmBlockBytes : command.sectors);
    ata::Opcode opcode = ata::Opcode::flush_cache_ext;
    switch (command.operation) {
        case Operation::read:
            opcode = command.queued ? ata::Opcode::read_fpdma_queued : ata::Opcode::read_dma_ext;
            break;
        case Operation::write:
            opcode = command.queued ? ata::Opcode::write_fpdma_queued
                     : command.fua  ? ata::Opcode::write_dma_fua_ext
                                    : ata::Opcode::write_dma_ext;
            break;
        case Operation::trim:
            opcode = command.queued ? ata::Opcode::send_fpdma_queued : ata::Opcode::data_set_management;
            fis.auxiliary = command.queued ? ata::kDsmTrim : 0;
            break;
        case Operation::flush:
            break;
    }
    fis.command = static_cast<std::uint8_t>(opcode);
    if (command.queued) {
        fis.features = amount;
        fis.count = tag_field;
        if (command.fua && command.operation != Operation::trim) {
            fis.device = ata::kDeviceLba | ata::kDeviceFua;
        }
    } else {
        fis.count = amount;
        fis.features = command.operation == Operation::trim ? ata::kDsmTrim : 0;
    }
    return fis;
}

/// The device has said how the command ended.
void AtaHost::job_ended(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba) {
    if (!coalesces() && !has_hba_time() && config_.interrupt_latency == Ps{0} &&
        config_.complete_time == Ps{0}) {
        complete(job, status, error, error_lba);
        return;
    }
    job.command.ata_status = status;
    job.command.ata_error = error;
    job.command.error_lba = error_lba;
    status_came(job);
}

void AtaHost::complete(Job& job, std::uint8_t status, std::uint8_t error, Lba error_lba) {
    Command& command = job.command;
    command.ata_status = status;
    command.ata_error = error;
    command.error_lba = error_lba;
    const bool ok = status != 0 && (status & (ata::kErr | ata::kDeviceFault)) == 0;
    command.status = ok ? CommandStatus::ok : CommandStatus::failed;
    command.completed_at = now();
    command.ledger.enter(command.ledger.current(), now());
    command.residual = command.completed_at - command.arrival - command.ledger.total();
    ++(ok ? statistics_.completed : statistics_.failed);
    if (ok && command.operation == Operation::read && !command.data.empty()) {
        SOLIDTLM_CHECK(command.data.size() == command.content.size(), "contents are wanted where there are");
        std::ranges::copy(command.content, command.data.begin());
    }
    RequestRecord& record = *job.request;
    record.failed |= !ok;
    if (--record.commands_left == 0 && record.all_issued) {
        if (feedback_ != nullptr) {
            feedback_->completed(record.token, !record.failed, now() - base_);
        }
        admission_.ended(now());
        if (littles_law_) {
            littles_law_->ended(record.arrival, now());
        }
        free_records_.push_back(&record);
    }
    observer_.completed(command);
    take_back(job);
    free_jobs_.push_back(&job);
}

// Empties the slot of a command that is outstanding no more.
void AtaHost::take_back(Job& job) {
    const std::uint8_t tag = job.command.tag;
    if (active_[tag] != &job) {
        return;
    }
    active_[tag] = nullptr;
    if (tag != ata::kNoTag) {
        active_mask_ &= ~(1U << tag);
    }
    run_coalescing();
}

std::optional<Ps> AtaHost::latency_excess() const {
    return littles_law_ ? std::optional(littles_law_->excess()) : std::nullopt;
}

void AtaHost::check_finished() {
    if (exhausted_ && !finished_ && state_ == State::running && outstanding() == 0 && next_ == nullptr &&
        retries_.empty() && record_ == nullptr && pass_through_.empty()) {
        finished_ = true;
        observer_.finished();
    }
}

void AtaHost::power_cut() {
    state_ = State::no_device;
    port_.power_cut();
    internal_ = Internal::none;
    settle();
    forget_work();
    for (Job* job : active_) {
        if (job != nullptr) {
            aborted_.push_back(job);
        }
    }
    while (!retries_.empty()) {
        aborted_.push_back(retries_.pop());
    }
    std::sort(aborted_.begin(), aborted_.end(),
              [](const Job* a, const Job* b) { return a->command.sequence < b->command.sequence; });
    for (Job* job : aborted_) {
        job->command.ledger.interrupt(Stage::host_queue, now());
        complete(*job, 0, 0);
    }
    aborted_.clear();
    while (!pass_through_.empty()) {
        pass_through_.front()->answer = {};
        pass_through_done();
    }
}

AtaHost::Job& AtaHost::take_job() {
    if (free_jobs_.empty()) {
        jobs_.push_back(std::make_unique<Job>());
        free_jobs_.push_back(jobs_.back().get());
    }
    Job& job = *free_jobs_.back();
    free_jobs_.pop_back();
    job.command.retries = 0;
    job.command.tag = ata::kNoTag;
    job.submission = Submission::none;
    job.posted = false;
    return job;
}

AtaHost::RequestRecord& AtaHost::take_record() {
    if (free_records_.empty()) {
        records_.push_back(std::make_unique<RequestRecord>());
        free_records_.push_back(records_.back().get());
    }
    RequestRecord& record = *free_records_.back();
    free_records_.pop_back();
    record = RequestRecord{};
    return record;
}

}  // namespace solidtlm::testbench
