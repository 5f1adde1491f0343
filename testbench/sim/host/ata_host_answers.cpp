// SPDX-License-Identifier: Apache-2.0
//
// The part of AtaHost that handles ends of commands, and the commands that it sends itself.
#include <algorithm>
#include <bit>

#include "testbench/sim/host/ata_host.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;
using hal::Stage;
using hw::now;

namespace {
constexpr const char* kReport = "/host/ata";
}

void AtaHost::drive_came() {
    state_ = State::starting;
    start_internal(Internal::identify);
}

void AtaHost::accepted(bool ok) {
    if (state_ == State::recovering) {
        start_internal(Internal::error_log);
    } else if (!ok) {
        begin_recovery();
    }
}

void AtaHost::ended(const hw::RegisterD2h& answer) {
    const bool error = (answer.status & ata::kErr) != 0;
    if (internal_ != Internal::none) {
        if (internal_ == Internal::pass_through) {
            pass_through_.front()->answer = answer;
        }
        internal_done(!error);
    } else if (AtaJob* job = job_of(ata::kNoTag); job != nullptr) {
        if (job->command.operation == Operation::read && !error && job->wire.moved != job->wire.data_bytes) {
            SC_REPORT_ERROR(kReport, "a read completed before its data");
        }
        answered(*job, answer.status, answer.error, answer.lba);
        job_ended(*job);
    }
}

void AtaHost::queued_ended(std::uint32_t tags, std::uint8_t status, std::uint8_t error) {
    if ((status & ata::kErr) != 0) {
        begin_recovery();
        return;
    }
    for (; tags != 0; tags &= tags - 1) {
        AtaJob* job = job_of(static_cast<std::size_t>(std::countr_zero(tags)));
        if (job == nullptr || job->posted) {
            continue;
        }
        if (job->wire.moved != job->wire.data_bytes) {
            SC_REPORT_ERROR(kReport, "a queued command completed before its data");
        }
        answered(*job, status, error);
        job_ended(*job);
    }
}

void AtaHost::start_internal(Internal command) {
    internal_ = command;
    received_.clear();
    own_ = PortCommand{};
    own_.received = &received_;
    hw::RegisterH2d& fis = own_.registers;
    fis.device = ata::kDeviceLba;
    fis.count = 1;
    ata::Opcode opcode = ata::Opcode::read_log_ext;
    switch (command) {
        case Internal::identify:
            opcode = ata::Opcode::identify_device;
            break;
        case Internal::send_receive_log:
            fis.lba = hal::Lba{ata::kLogSendReceive};
            break;
        case Internal::set_write_cache:
            opcode = ata::Opcode::set_features;
            fis.features = *config_.write_cache ? ata::kFeatureWriteCacheOn : ata::kFeatureWriteCacheOff;
            fis.count = 0;
            break;
        case Internal::pass_through:
            own_.received = &pass_through_.front()->data;
            fis = pass_through_.front()->registers;
            opcode = static_cast<ata::Opcode>(fis.command);
            break;
        default:
            fis.lba = hal::Lba{ata::kLogNcqError};
            if (config_.error_log_by_dma && facts_.log_dma) {
                opcode = ata::Opcode::read_log_dma_ext;
            }
            break;
    }
    fis.command = static_cast<std::uint8_t>(opcode);
    port_.begin(own_);
}

void AtaHost::internal_done(bool ok) {
    const Internal command = internal_;
    internal_ = Internal::none;
    switch (command) {
        case Internal::identify:
            if (!ok || !hw::parse_identify(received_, facts_)) {
                SC_REPORT_FATAL(kReport, "IDENTIFY DEVICE failed");
            }
            depth_ = std::max(1U, std::min(config_.queue_depth, facts_.queue_depth));
            if (facts_.send_receive) {
                start_internal(Internal::send_receive_log);
                return;
            }
            break;
        case Internal::send_receive_log:
            // dword 0 bit 0: DATA SET MANAGEMENT; dword 1 bit 0: its TRIM
            queued_trim_ = ok && received_.size() == hal::kSectorBytes &&
                           (received_[0] & received_[4] & std::byte{1}) != std::byte{0};
            break;
        case Internal::set_write_cache:
            if (!ok) {
                SC_REPORT_ERROR(kReport, "SET FEATURES failed");
            }
            break;
        case Internal::error_log:
            finish_recovery();
            return;
        case Internal::pass_through:
            pass_through_done();
            return;
        case Internal::none:
            return;
    }
    if (command != Internal::set_write_cache && config_.write_cache) {
        start_internal(Internal::set_write_cache);
        return;
    }
    state_ = State::running;
    start_source();
}

void AtaHost::pass_through_done() {
    PassThrough& command = *pass_through_.pop();
    command.ended = true;
    if (command.done) {
        command.done();
    }
}

void AtaHost::begin_recovery() {
    state_ = State::recovering;
    ++statistics_.recoveries;
    interrupt();
    for (std::size_t tag = 0; tag < slots(); ++tag) {
        if (Job* job = active(tag); job != nullptr && !job->posted) {
            job->command.ledger.interrupt(Stage::host_queue, now());
            aborted_.push_back(job);
        }
    }
    for (Job* job : aborted_) {
        take_back(*job);
    }
    port_.forget_queued();
    if (!port_.busy()) {
        start_internal(Internal::error_log);
    }
}

void AtaHost::finish_recovery() {
    const auto error = hw::parse_ncq_error_log(received_);
    if (!error) {
        SC_REPORT_FATAL(kReport, "log 10h has a wrong checksum");
        return;
    }
    state_ = State::running;
    std::sort(aborted_.begin(), aborted_.end(),
              [](const Job* a, const Job* b) { return a->command.sequence < b->command.sequence; });
    const std::size_t before = retries_.size();
    for (Job* job : aborted_) {
        if (!error->non_queued && job->command.tag == error->tag) {
            answered(*job, error->status, error->error, error->lba);
            complete(*job);
            continue;
        }
        ++job->command.retries;
        job->submission = Submission::none;
        ++statistics_.reissued;
        retries_.push(job);
    }
    for (std::size_t i = 0; i < before; ++i) {  // commands that already waited for a retry are younger
        retries_.push(retries_.pop());
    }
    aborted_.clear();
}

}  // namespace solidtlm::testbench
