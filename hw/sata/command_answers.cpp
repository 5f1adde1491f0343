// SPDX-License-Identifier: Apache-2.0
//
// The commands that the device answers itself, or from the firmware's report of health.
#include <vector>

#include "hw/sata/command_protocol.h"
#include "hw/sata/health_pages.h"
#include "hw/sata/status_fis.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint8_t kOffLineCompleted = 0x02;  // byte 362 of SMART data

/// Minutes in which the link would carry all sectors: how long a host waits for an extended self-test.
std::uint32_t extended_minutes(const SataConfig& config) {
    const FrameTiming timing(config);
    constexpr std::uint64_t kSectors = kMaxDataFisBytes / hal::kSectorBytes;
    const std::uint64_t frames = (config.exported_sectors + kSectors - 1) / kSectors;
    const auto all =
        static_cast<std::int64_t>(frames) *
        timing.frame_time(std::uint64_t{fis_header_bytes(static_cast<std::uint8_t>(FisType::data))} +
                          kMaxDataFisBytes);
    return static_cast<std::uint32_t>(all / Ps{std::chrono::minutes(1)}) + 1;
}

}  // namespace

void DeviceStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("device.accepted", "commands",
                    "commands accepted, those included that the device answers itself", accepted);
    metrics.counter("device.completed", "commands", "commands completed with good status", completed);
    metrics.counter("device.failed", "commands", "commands completed with error status", failed);
    metrics.counter("device.aborted", "commands",
                    "commands aborted by the error of another command or by a reset", aborted);
    metrics.counter("device.set_device_bits", "frames", "Set Device Bits FISes that completed commands",
                    set_device_bits);
    metrics.counter("device.read_bytes", "B", "bytes read by completed commands", read_bytes);
    metrics.counter("device.written_bytes", "B", "bytes written by completed commands", written_bytes);
    metrics.maximum("device.max_outstanding", "commands", "most commands outstanding at once",
                    max_outstanding);
}

void CommandProtocol::answer_itself(const RegisterH2d& fis, const DecodedCommand& command) {
    switch (command.action) {
        case Action::identify: {
            const LogPage page = identify_data(config_, identify_state_);
            pages_.begin({&page, 1}, false);
            return;
        }
        case Action::read_log:
            read_log(command.pages);
            return;
        case Action::diagnose:  // the device has nothing to test that is not tested at power-on
            ++statistics_.completed;
            sender_.send(signature_fis(true));
            return;
        case Action::power_mode:
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, power_.code()));
            return;
        case Action::power:
            change_power(command.power);
            break;
        case Action::multiple:
            identify_state_.multiple = command.multiple;
            break;
        case Action::smart:
            identify_state_.smart = command.enable;
            break;
        case Action::auto_activate:
            if (command.enable && !config_.auto_activate) {
                ++statistics_.failed;
                sender_.send(status_fis(ata::kStatusError, ata::kAbort, fis.lba, fis.count));
                return;
            }
            identify_state_.auto_activate = command.enable;
            data_path_.set_auto_activate(command.enable);
            break;
        default:
            break;
    }
    ++statistics_.completed;
    sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, fis.count));
}

LogPage CommandProtocol::log_page(const PagesAsked& asked, std::uint32_t page) const {
    switch (asked.log_address) {
        case ata::kLogSummaryError:
            return smart_.errors.summary();
        case ata::kLogComprehensiveError:
            return smart_.errors.comprehensive(page);
        case ata::kLogSelfTest:
            return smart_.test.log();
        case ata::kLogExtendedSelfTest:
            return smart_.test.extended_log();
        case ata::kLogNcqError:
            return ncq_error_log(state_.error);
        case ata::kLogPhyEvents:
            return phy_events_log(state_.signatures);
        case ata::kLogSctStatus:
            return sct_status_log(smart_.test.running()                     ? SctDevice::self_test
                                  : power_.mode() == PowerModeName::standby ? SctDevice::standby
                                                                            : SctDevice::active);
        default:
            return general_log(asked.log_address, page, identify_data(config_, identify_state_),
                               asked.access);
    }
}

void CommandProtocol::read_log(const PagesAsked& asked) {
    std::vector<LogPage> pages;
    pages.reserve(asked.count);
    for (std::uint32_t i = 0; i < asked.count; ++i) {
        pages.push_back(log_page(asked, asked.first + i));
    }
    if (asked.clears) {
        state_.signatures = 0;
    }
    if (state_.halted) {  // makes the host forget its outstanding commands
        SetDeviceBits forget;
        forget.status = ata::kReady;
        forget.sactive = CommandTable::kAllTags;
        state_.halted = false;
        sender_.send(encode(forget));
    }
    pages_.begin(pages, asked.by_dma);
}

/// Answers the host from the report that firmware has made.
void CommandProtocol::answer_health(Slot& slot) {
    const hal::HealthReport report = slot.report;
    const PagesAsked asked = slot.pages;
    return_ledger(slot);
    table_.free(slot);
    restart_standby();
    std::vector<LogPage> pages;
    switch (asked.of) {
        case PagesAsked::Of::smart_status: {
            const std::uint64_t signature =
                threshold_exceeded(report) ? ata::kSmartThresholdExceeded : ata::kSmartSignature;
            ++statistics_.completed;
            sender_.send(status_fis(ata::kStatusOk, 0, hal::Lba{signature << 8U}, 0));
            return;
        }
        case PagesAsked::Of::smart_data:
            pages.push_back(smart_data(
                report, {smart_.off_line_status, smart_.test.execution_status(), extended_minutes(config_)}));
            break;
        case PagesAsked::Of::smart_thresholds:
            pages.push_back(smart_thresholds(report));
            break;
        case PagesAsked::Of::log:
            pages.reserve(asked.count);
            for (std::uint32_t i = 0; i < asked.count; ++i) {
                pages.push_back(statistics_page(asked.first + i, report));
            }
            break;
    }
    pages_.begin(pages, asked.by_dma);
}

/// SMART EXECUTE OFF-LINE IMMEDIATE. The off-line routine has nothing to collect: attributes are always up to
/// date. A new test ends one that runs (ACS-3 7.48.6.2).
void CommandProtocol::execute_off_line(const RegisterH2d& fis, const DecodedCommand& command,
                                       hal::Ledger* ledger) {
    if (command.test == 0) {
        smart_.off_line_status = kOffLineCompleted;
    } else {
        stop_self_test();
    }
    if (command.test != 0 && command.test != SelfTest::kAbort) {
        smart_.test.begin(command.test, config_.exported_sectors);
        state_.test_piece = 0;
    }
    if (smart_.test.captive()) {
        Slot& slot = table_.take();
        slot.slot = ata::kNoTag;
        slot.lba = command.lba;
        slot.opcode = hal::HostOpcode::verify;
        enter(slot, ledger);
    } else {
        ++statistics_.completed;
        sender_.send(status_fis(ata::kStatusOk, 0, fis.lba, fis.count));
    }
    if (smart_.test.running()) {
        test_next_piece();
    }
}

}  // namespace solidtlm::hw
