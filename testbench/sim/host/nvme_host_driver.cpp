// SPDX-License-Identifier: Apache-2.0
//
// The commands that NvmeHost's driver sends itself, one at a time: before requests, and after the last one.
#include <algorithm>
#include <array>

#include "hw/nvme/features.h"
#include "hw/nvme/identify.h"
#include "testbench/sim/host/nvme_host.h"

namespace solidtlm::testbench {

namespace nvme = hw::nvme;
using hw::now;

namespace {

constexpr const char* kNvmeReport = "/host/nvme";
constexpr std::uint32_t kVectorBytes = 16;
constexpr nvme::Word kContiguous = 1;
constexpr nvme::Word kInterrupts = 1U << 1U;
constexpr std::size_t kMdtsOffset = 77;
constexpr nvme::Word kNormalShutdown = 1;

}  // namespace

/// The controller is in its reset state.
void NvmeHost::drive_came() {
    memory_.clear_queues();
    for (Pair& pair : pairs_) {
        pair = Pair{};
        pair.entries = nvme_.queue_entries;
    }
    pairs_[0].entries = NvmeMemory::kAdminEntries;
    for (std::uint32_t queue = 1; queue < pairs_.size(); ++queue) {
        pairs_[queue].vector = nvme_.vectors == 1 ? 0 : 1 + (queue - 1) % (nvme_.vectors - 1);
    }
    drive_.set_msix(true, false);
    for (std::uint32_t vector = 0; vector < std::min<std::uint32_t>(nvme_.vectors, nvme_.queues + 1);
         ++vector) {
        const std::array<Word, 4> entry{NvmeMemory::kMessages, 0, vector, 0};
        for (std::uint32_t i = 0; i < entry.size(); ++i) {
            (void)drive_.store(nvme::kMsixTable + vector * kVectorBytes + i * 4, entry.at(i));
        }
    }
    store(nvme::Register::aqa, (NvmeMemory::kAdminEntries - 1) << 16U | (NvmeMemory::kAdminEntries - 1));
    store(nvme::Register::asq, static_cast<Word>(memory_.submission(0)));
    store(nvme::Register::asq_high, static_cast<Word>(memory_.submission(0) >> 32U));
    store(nvme::Register::acq, static_cast<Word>(memory_.completion(0)));
    store(nvme::Register::acq_high, static_cast<Word>(memory_.completion(0) >> 32U));
    store(nvme::Register::cc, nvme::kCcOn);
    if (status() != nvme::kCstsReady) {
        SC_REPORT_FATAL(kNvmeReport, "the controller is not ready");
    }
    created_ = 0;
    step_ = Step::identify;
    begin_step();
}

void NvmeHost::begin_step() {
    nvme::Command command;
    auto opcode = nvme::AdminOpcode::set_features;
    const std::uint32_t queue = created_ + 1;
    const Word size = (nvme_.queue_entries - 1) << 16U;
    switch (step_) {
        case Step::identify:
            opcode = nvme::AdminOpcode::identify;
            command.words[0] = static_cast<Word>(nvme::Cns::controller);
            command.prp1 = NvmeMemory::own_page();
            break;
        case Step::queues:
            command.words[0] = static_cast<Word>(nvme::Feature::queues);
            command.words[1] = (nvme_.queues - 1) << 16U | (nvme_.queues - 1);
            break;
        case Step::completion_queue:
            opcode = nvme::AdminOpcode::create_cq;
            command.words[0] = size | queue;
            command.words[1] = pairs_[queue].vector << 16U | kContiguous | (nvme_.polls ? 0 : kInterrupts);
            command.prp1 = memory_.completion(queue);
            break;
        case Step::submission_queue:
            opcode = nvme::AdminOpcode::create_sq;
            command.words[0] = size | queue;
            command.words[1] = queue << 16U | kContiguous;
            command.prp1 = memory_.submission(queue);
            break;
        case Step::write_cache:
            if (!config_.write_cache) {
                running_ = true;
                start_source();
                go_on();
                return;
            }
            command.words[0] = static_cast<Word>(nvme::Feature::write_cache);
            command.words[1] = *config_.write_cache ? 1 : 0;
            break;
    }
    command.opcode = static_cast<std::uint8_t>(opcode);
    send_own(0, command);
}

void NvmeHost::step_done(Word result) {
    switch (step_) {
        case Step::identify: {
            const auto mdts =
                std::to_integer<std::uint32_t>(memory_.at(NvmeMemory::own_page() + kMdtsOffset, 1).front());
            const std::uint32_t most = mdts == 0 ? nvme::kMostBytes : nvme::kPageBytes << mdts;
            max_sectors_ = std::min(most, nvme::kMostBytes) / hal::kSectorBytes;
            step_ = Step::queues;
            break;
        }
        case Step::queues:
            if ((result & 0xFFFFU) + 1 < nvme_.queues || (result >> 16U) + 1 < nvme_.queues) {
                SC_REPORT_FATAL(kNvmeReport, "the controller grants fewer queues");
            }
            step_ = Step::completion_queue;
            break;
        case Step::completion_queue:
            step_ = Step::submission_queue;
            break;
        case Step::submission_queue:
            ++created_;
            step_ = created_ < nvme_.queues ? Step::completion_queue : Step::write_cache;
            break;
        case Step::write_cache:
            running_ = true;
            start_source();
            go_on();
            return;
    }
    begin_step();
}

/// Its identifier differs from those of the slots.
void NvmeHost::send_own(std::uint32_t queue, nvme::Command command) {
    command.id = static_cast<std::uint16_t>(slots());
    put(queue, command);
    (void)ring_submission(queue);
}

void NvmeHost::own_ended(std::uint32_t queue, std::uint16_t status, Word result) {
    ring_completion(queue);
    if (queue != 0) {
        flushed_ = status == 0;
        at<&NvmeHost::tell_shut_down>(now());
        return;
    }
    if (status != 0 && step_ == Step::write_cache) {
        SC_REPORT_ERROR(kNvmeReport, "Set Features of the write cache failed");
    } else if (status != 0) {
        SC_REPORT_FATAL(kNvmeReport, "a command of the driver failed");
    }
    step_done(result);
}

void NvmeHost::shut_down() {
    at<&NvmeHost::flush>(now());
}

/// A shutdown has no status, so the driver sends the flush that it implies as a command first.
void NvmeHost::flush() {
    nvme::Command command;
    command.opcode = static_cast<std::uint8_t>(nvme::IoOpcode::flush);
    command.nsid = nvme::kNamespace;
    send_own(1, command);
}

void NvmeHost::tell_shut_down() {
    store(nvme::Register::cc, nvme::kCcOn | nvme::kCcShn.put(kNormalShutdown));
}

std::optional<bool> NvmeHost::is_shut_down() {
    const bool complete = nvme::kCstsShst.of(status()) == nvme::kShstComplete;
    return complete ? flushed_ : std::nullopt;
}

}  // namespace solidtlm::testbench
