// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/host.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "testbench/sim/process/interruption.h"

namespace solidtlm::testbench {

using hal::Stage;
using hw::now;

namespace {

bool changes(const Command& command) {
    return command.operation == Operation::write || command.operation == Operation::trim;
}

/// Calls `look(range)` for each range until one call returns true.
template <class Look>
bool any_range(const Command& command, Look look) {
    return command.operation == Operation::trim ? std::ranges::any_of(command.ranges, look)
                                                : look(TrimRange{command.lba, command.sectors});
}

/// Whether the commands have sectors in common.
bool meet(const Command& one, const Command& other) {
    return any_range(one, [&other](const TrimRange& mine) {
        return any_range(other, [&mine](const TrimRange& theirs) {
            return mine.lba.value < theirs.lba.value + theirs.sectors &&
                   theirs.lba.value < mine.lba.value + mine.sectors;
        });
    });
}

}  // namespace

Host::Host(const sc_core::sc_module_name& name, const HostConfig& config, RequestSource& source,
           const Pacing& pacing, CommandObserver& observer, hw::Agenda& agenda, std::size_t slots)
    : AgendaModule(name, &agenda),
      config_(config),
      source_(source),
      feedback_(source.feedback()),
      pacing_(pacing),
      observer_(observer),
      littles_law_(pacing.loop()),
      active_(slots),
      processor_(2 * slots + 1),
      hba_(2 * slots),
      raised_(2 * slots),
      posted_(2 * slots),
      coalescing_left_(config.coalesce_time) {}

void Host::start_source() {
    if (started_once_) {
        return;
    }
    started_once_ = true;
    base_ = now();
    admission_.not_before(base_);
    if (littles_law_) {
        littles_law_->begin(base_);
    }
}

std::vector<const Command*> Host::outstanding_commands() const {
    std::vector<const Command*> commands;
    for (const Job* job : active_) {
        if (job != nullptr) {
            commands.push_back(&job->command);
        }
    }
    return commands;
}

Host::Job* Host::next_job() {
    if (next_ == nullptr && (record_ != nullptr || next_request())) {
        Job& job = take_job();
        Command& command = job.command;
        splitter_.next(command);
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

bool Host::interrupted() {
    if (Interruption::signal() != 0 && !exhausted_) {
        interrupted_at_ = now();
    }
    return interrupted_at_.has_value();
}

// Takes a request from the source, if it has one now.
bool Host::pull() {
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
        sleep_until_source_wakes();
    }
    return false;
}

void Host::sleep_until_source_wakes() {
    const auto wakes = feedback_->wakes_at();
    if (!wakes) {
        return;
    }
    const Ps wakes_at = hal::instant_after(base_, *wakes);
    const bool armed = wakes_at_ > now() && wakes_at_ <= wakes_at;
    if (wakes_at > hal::kHorizon) {
        if (outstanding_ == 0) {  // otherwise a completion may give the source a request
            pause_at_horizon();
        }
    } else if (!armed) {
        wakes_at_ = wakes_at;
        at<&Host::go_on>(wakes_at_);
    }
}

/// Returns false: there is no request.
bool Host::pause_at_horizon() {
    beyond_horizon_ = true;
    agenda().pause();
    return false;
}

/// Drops the waiting request, which arrives too late, and ends the source. Returns false: there is no
/// request.
bool Host::drop_request() {
    ++statistics_.dropped;
    request_waits_ = false;
    exhausted_ = true;
    return false;
}

// Takes the next request and checks whether it may begin.
bool Host::next_request() {
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
            if (*due > hal::kHorizon) {
                return pause_at_horizon();
            }
            at<&Host::go_on>(*due);
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
    splitter_.begin(request_, limits());
    return true;
}

/// The arrival of the waiting request; nothing: it has not arrived yet.
std::optional<Ps> Host::admit() {
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

bool Host::conflicts(const Command& command) const {
    return std::ranges::any_of(active_, [&command](const Job* job) {
        return job != nullptr && (changes(job->command) || changes(command)) && meet(job->command, command);
    });
}

void Host::issue_in(std::uint16_t slot, Job& job) {
    Command& command = job.command;
    command.tag = slot;
    command.issued_at = now();
    active_[slot] = &job;
    ++outstanding_;
    if (command.retries == 0) {
        command.sequence = next_sequence_++;
        ++statistics_.commands;
    }
    run_coalescing();
    statistics_.max_outstanding = std::max(statistics_.max_outstanding, outstanding_);
    const bool transfers = command.operation == Operation::read || command.operation == Operation::write;
    const std::size_t size =
        transfers ? hal::content_bytes(config_.content, std::uint64_t{command.sectors} * hal::kSectorBytes)
                  : 0;
    if (command.retries == 0) {
        command.content.assign(command.operation == Operation::read ? size : 0, std::byte{0});
        if (command.operation == Operation::write && !command.data.empty()) {
            SOLIDTLM_CHECK(command.data.size() == size, "given contents have the size of the command");
            command.content.assign(command.data.begin(), command.data.end());
        }
    }
    observer_.issued(command);
    command.content.resize(size);  // if the observer gives no content, zeros are written
}

void Host::job_ended(Job& job) {
    if (!coalesces() && !has_hba_time() && config_.interrupt_latency == Ps{0} &&
        config_.complete_time == Ps{0}) {
        complete(job);
    } else {
        status_came(job);
    }
}

void Host::complete(Job& job) {
    Command& command = job.command;
    const bool ok = command.status == CommandStatus::ok;
    command.completed_at = now();
    command.ledger.enter(command.ledger.current(), now());
    command.residual = command.completed_at - command.arrival - command.ledger.total();
    ++(ok ? statistics_.completed : statistics_.failed);
    if (ok && command.operation == Operation::read && !command.data.empty()) {
        SOLIDTLM_CHECK(command.data.size() == command.content.size(),
                       "the request's buffer has the size of the command");
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

void Host::take_back(Job& job) {
    const std::uint16_t tag = job.command.tag;
    if (active_[tag] != &job) {
        return;
    }
    active_[tag] = nullptr;
    --outstanding_;
    slot_freed(tag);
    run_coalescing();
}

std::optional<Ps> Host::latency_excess() const {
    return littles_law_ ? std::optional(littles_law_->excess()) : std::nullopt;
}

void Host::check_finished() {
    if (exhausted_ && !finished_ && outstanding_ == 0 && next_ == nullptr && record_ == nullptr &&
        at_rest()) {
        finished_ = true;
        observer_.finished();
    }
}

void Host::lose(std::vector<Job*> lost) {
    std::ranges::copy_if(active_, std::back_inserter(lost), [](const Job* job) { return job != nullptr; });
    std::ranges::sort(lost, {}, [](const Job* job) { return job->command.sequence; });
    for (Job* job : lost) {
        job->command.ledger.interrupt(Stage::host_queue, now());
        job->command.status = CommandStatus::failed;
        job->command.failure = FailureKind::power_lost;
        job->command.error_lba = {};
        complete(*job);
    }
}

Host::Job& Host::take_job() {
    if (free_jobs_.empty()) {
        jobs_.push_back(make_job());
        free_jobs_.push_back(jobs_.back().get());
    }
    Job& job = *free_jobs_.back();
    free_jobs_.pop_back();
    job.command.retries = 0;
    job.submission = Submission::none;
    job.posted = false;
    return job;
}

Host::RequestRecord& Host::take_record() {
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
