// SPDX-License-Identifier: Apache-2.0
//
// The time that the host itself takes: in its adapter, for the delivery of an interrupt, while interrupts are
// held back, and in its processor.
#include "testbench/sim/host/host.h"

namespace solidtlm::testbench {

using hal::Stage;
using hw::now;

/// Whether the command may go to the device. If the processor was not asked to submit it yet, it is asked
/// now.
bool Host::submitted(Job& job) {
    if (config_.submit_time == Ps{0}) {
        return true;
    }
    if (job.submission == Submission::none) {
        job.submission = Submission::asked;
        ask_processor(job, config_.submit_time);
    }
    return job.submission == Submission::done;
}

/// The device has sent the command's status. Errors interrupt at once.
void Host::status_came(Job& job) {
    job.posted = true;
    if (job.command.status == CommandStatus::failed) {
        post(job);
    } else if (has_hba_time()) {
        job.command.ledger.enter(Stage::hba_wait, now());
        hba_.push(&job);
        if (hba_.size() == 1) {
            begin_hba_work();
        }
    } else {
        raise_interrupt(job);
    }
}

void Host::begin_hba_work() {
    Command& command = hba_.front()->command;
    command.ledger.enter(Stage::hba_work, now());
    hba_done_.arm(now() +
                  (command.operation == Operation::read ? config_.hba_read_time : config_.hba_write_time));
}

void Host::hba_due() {
    Job& job = *hba_.pop();
    if (!hba_.empty()) {
        begin_hba_work();
    }
    raise_interrupt(job);
    go_on();
}

void Host::raise_interrupt(Job& job) {
    if (config_.interrupt_latency == Ps{0}) {
        post(job);
        return;
    }
    job.command.ledger.enter(Stage::interrupt_latency, now());
    raised_.push(Raised{&job, now() + config_.interrupt_latency});
    interrupt_comes_.arm(raised_.front().at);
}

void Host::interrupt_due() {
    Job& job = *raised_.pop().job;
    if (!raised_.empty()) {
        interrupt_comes_.arm(raised_.front().at);
    }
    post(job);
    go_on();
}

/// Posts the status, which has reached the host's memory.
void Host::post(Job& job) {
    job.command.ledger.enter(Stage::interrupt_wait, now());
    posted_.push(&job);
    const bool error = job.command.status == CommandStatus::failed;
    const bool enough = config_.coalesce_completions > 0 && posted_.size() >= config_.coalesce_completions;
    if (!coalesces() || error || enough) {
        interrupt();
    }
}

void Host::coalescing_due() {
    interrupt();
    go_on();
}

/// Reports all posted statuses and restarts the time until the next interrupt.
void Host::interrupt() {
    if (coalesces()) {
        ++statistics_.interrupts;
        coalescing_.disarm();
        coalescing_left_ = config_.coalesce_time;
    }
    while (!posted_.empty()) {
        Job& job = *posted_.pop();
        if (config_.complete_time > Ps{0}) {
            ask_processor(job, config_.complete_time);
        } else {
            complete(job);
        }
    }
    run_coalescing();
}

/// Runs the timer while commands are outstanding, including posted ones.
void Host::run_coalescing() {
    if (!coalesces()) {
        return;
    }
    const bool runs = outstanding() > 0;
    if (runs && !coalescing_.armed()) {
        coalescing_.arm(now() + coalescing_left_);
    } else if (!runs && coalescing_.armed()) {
        coalescing_left_ = coalescing_.at() - now();
        coalescing_.disarm();
    }
}

void Host::ask_processor(Job& job, Ps time) {
    job.command.ledger.enter(Stage::host_cpu_wait, now());
    processor_.push(Work{&job, time});
    if (processor_.size() == 1) {
        begin_work();
    }
}

void Host::begin_work() {
    const Work& work = processor_.front();
    if (work.job != nullptr) {
        work.job->command.ledger.enter(Stage::host_cpu, now());
    }
    statistics_.processor_busy += work.time;
    at<&Host::work_done>(now() + work.time);
}

void Host::work_done() {
    Job* job = processor_.pop().job;
    if (!processor_.empty()) {
        begin_work();
    }
    if (job != nullptr && job->posted) {
        complete(*job);
    } else if (job != nullptr) {
        job->submission = Submission::done;
        job->command.ledger.enter(Stage::host_queue, now());
    }
    go_on();
}

void Host::settle() {
    hba_.clear();
    hba_done_.disarm();
    raised_.clear();
    interrupt_comes_.disarm();
    posted_.clear();
    for (std::size_t i = 0; i < processor_.size(); ++i) {
        Work& work = processor_[i];
        if (work.job != nullptr && work.job->posted) {
            work.job = nullptr;
        }
    }
    for (Job* job : active_) {
        if (job != nullptr && job->posted) {
            complete(*job);
        }
    }
}

/// The device lost power: the processor drops all waiting commands, but still finishes its present work.
void Host::forget_work() {
    if (!processor_.empty()) {
        const Ps time = processor_.front().time;
        processor_.clear();
        processor_.push(Work{nullptr, time});
    }
    if (next_ != nullptr) {
        next_->submission = Submission::none;
        next_->command.ledger.enter(Stage::host_queue, now());
    }
    coalescing_.disarm();
    coalescing_left_ = config_.coalesce_time;
}

}  // namespace solidtlm::testbench
