// SPDX-License-Identifier: Apache-2.0
//
// A device that answers correctly, and then with one error at a time.
#include "testbench/torture/health_check.h"

#include <gtest/gtest.h>

#include <set>

#include "hw/sata/ata.h"
#include "hw/sata/health_pages.h"
#include "hw/sata/log_pages.h"

namespace solidtlm::testbench {
namespace {

namespace ata = hw::ata;

/// Answers from a report, as docs/reliability.md describes.
struct AnsweringDevice {
    hal::HealthReport report;
    bool smart = true;
    std::uint8_t mode = 0xFF;

    [[nodiscard]] PassThrough answer(const hw::RegisterH2d& question) {
        PassThrough answered;
        answered.registers = question;
        answered.ended = true;
        answered.answer.status = ata::kStatusOk;
        const auto opcode = static_cast<ata::Opcode>(question.command);
        const bool good = opcode == ata::Opcode::smart ? answer_smart(question, answered)
                          : opcode == ata::Opcode::read_log_ext || opcode == ata::Opcode::read_log_dma_ext
                              ? answer_log(question, answered)
                              : answer_power(opcode, answered);
        if (!good) {
            answered.answer.status = ata::kStatusError;
            answered.answer.error = ata::kAbort;
        }
        return answered;
    }

  private:
    static void add(const hw::LogPage& page, PassThrough& answered) {
        answered.data.insert(answered.data.end(), page.begin(), page.end());
    }
    bool answer_smart(const hw::RegisterH2d& question, PassThrough& answered) {
        EXPECT_EQ(question.lba.value, 0xC24F00U);
        switch (question.features) {
            case ata::kSmartReadData:
                add(hw::smart_data(report, {}), answered);
                return smart;
            case ata::kSmartReturnStatus:
                answered.answer.lba = hal::Lba{hw::threshold_exceeded(report) ? 0x2CF400U : 0xC24F00U};
                return smart;
            case ata::kSmartEnable:
                smart = true;
                return true;
            default:
                return std::exchange(smart, false);
        }
    }
    bool answer_power(ata::Opcode opcode, PassThrough& answered) {
        if (opcode == ata::Opcode::check_power_mode) {
            answered.answer.count = mode;
            return true;
        }
        mode = opcode == ata::Opcode::idle_immediate ? 0x80 : 0x00;
        return opcode == ata::Opcode::idle_immediate || opcode == ata::Opcode::standby_immediate;
    }
    bool answer_log(const hw::RegisterH2d& question, PassThrough& answered) const {
        const auto log = static_cast<std::uint8_t>(question.lba.value);
        const auto first = static_cast<std::uint32_t>(question.lba.value >> 8U);
        if (first + question.count > hw::log_pages(log)) {
            return false;
        }
        for (std::uint32_t page = first; page < first + question.count; ++page) {
            add(log == ata::kLogDeviceStatistics ? hw::statistics_page(page, report)
                : log == ata::kLogNcqError       ? hw::ncq_error_log(std::nullopt)
                                                 : hw::general_log(log, page, {}),
                answered);
        }
        return true;
    }
};

Command ended(Operation operation, std::uint32_t sectors, std::uint8_t error = 0) {
    Command command;
    command.operation = operation;
    command.sectors = sectors;
    command.status = error == 0 ? CommandStatus::ok : CommandStatus::failed;
    command.failure = ata_failure(ata::kStatusError, error);
    return command;
}

/// A host that has seen three writes, a read and an error of a drive that was used before.
struct AskingHost {
    explicit AskingHost(std::uint64_t seed, bool power_was_cut = false) : random(seed) {
        device.report.sectors_written = 100;
        device.report.read_commands = 7;
        // so that the check learns the counters' start values
        for (int question = 0; question < 200; ++question) {
            EXPECT_EQ(ask(), std::nullopt);
        }
        if (power_was_cut) {
            check.power_cut(0);
            device.mode = 0xFF;
            device.report = {};
            device.report.power_on_resets.reset();
        }
        for (const std::uint32_t sectors : {8, 16, 3}) {
            check.completed(ended(Operation::write, sectors));
        }
        check.completed(ended(Operation::read, 5));
        check.completed(ended(Operation::read, 5, ata::kUncorrectable));
        check.completed(ended(Operation::write, 5, ata::kAbort));
        check.completed(ended(Operation::read, 0));
        device.mode = 0xFF;
        device.report.sectors_written += 27;
        device.report.write_commands += 3;
        device.report.sectors_read += 5;
        device.report.read_commands += 2;
        device.report.uncorrectable_errors += 1;
    }
    std::optional<std::string> ask(std::uint64_t reissued = 0) {
        return check.judge(device.answer(check.ask(random)), reissued);
    }
    /// The complaint about the next power mode, in whose place the drive tells another one.
    std::optional<std::string> told_another_mode() {
        for (;;) {
            PassThrough answered = device.answer(check.ask(random));
            if (answered.registers.command == static_cast<std::uint8_t>(ata::Opcode::check_power_mode)) {
                answered.answer.count = static_cast<std::uint16_t>(device.mode ^ 0x80U);
                return check.judge(answered, 0);
            }
            EXPECT_EQ(check.judge(answered, 0), std::nullopt);
        }
    }
    /// Complaints about the answers to some questions.
    std::set<std::string> complaints(std::uint64_t reissued = 0) {
        std::set<std::string> found;
        for (int question = 0; question < 200; ++question) {
            if (const auto wrong = ask(reissued)) {
                found.insert(*wrong);
            }
        }
        return found;
    }

    std::mt19937_64 random;
    AnsweringDevice device;
    HealthCheck check{false};
};

using Complaints = std::set<std::string>;

TEST(HealthCheck, AcceptsCorrectAnswers) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(AskingHost(seed).complaints(), Complaints{});
        EXPECT_EQ(AskingHost(seed, true).complaints(), Complaints{});
    }
}

TEST(HealthCheck, FindsEachWrongCount) {
    for (std::uint64_t hal::HealthReport::*count :
         {&hal::HealthReport::sectors_written, &hal::HealthReport::write_commands,
          &hal::HealthReport::sectors_read, &hal::HealthReport::read_commands,
          &hal::HealthReport::uncorrectable_errors}) {
        AskingHost more(1);
        ++(more.device.report.*count);
        EXPECT_EQ(more.complaints().size(), 1U);
        AskingHost again(1);  // a reissued command may count twice
        ++(again.device.report.*count);
        EXPECT_EQ(again.complaints(1), Complaints{});
        AskingHost less(1);
        --(less.device.report.*count);
        EXPECT_EQ(less.complaints(1).size(), 1U);
    }
}

TEST(HealthCheck, FindsCountsThatAPowerCutShouldHaveCleared) {
    AskingHost kept(1, true);
    kept.device.report.power_on_resets = 1;
    EXPECT_TRUE(kept.complaints().contains("flags C0h of page 1 of log 04h"));
    AskingHost forgotten(1);
    forgotten.device.report.power_on_resets.reset();
    EXPECT_TRUE(forgotten.complaints().contains("flags 80h of page 4 of log 04h"));
}

TEST(HealthCheck, FindsAThresholdAndWrongRefusals) {
    AskingHost host(1);
    host.device.report.read_only = true;
    EXPECT_EQ(host.complaints(), Complaints{"SMART status 2CF4h"});
    AskingHost off(1);
    while (off.device.smart) {
        EXPECT_EQ(off.ask(), std::nullopt);
    }
    off.device.smart = true;  // although no command enabled it
    EXPECT_TRUE(off.complaints().contains("it was answered, not refused"));
}

TEST(HealthCheck, FindsAWrongPowerMode) {
    AskingHost host(1);
    for (int command = 0; command < 60; ++command) {
        host.check.completed(ended(Operation::flush, 0));  // which ends no mode
        EXPECT_TRUE(host.told_another_mode());
        host.check.completed(ended(Operation::read, 0));
        ++host.device.report.read_commands;
        host.device.mode = 0xFF;
        EXPECT_TRUE(host.told_another_mode());
    }
}

TEST(HealthCheck, OnlyFlashThatFailsKeepsADriveFromStandby) {
    for (const bool may_fail : {false, true}) {
        AskingHost host(1);
        HealthCheck check(may_fail);
        PassThrough answered;
        do {
            answered = host.device.answer(check.ask(host.random));
        } while (answered.registers.command != static_cast<std::uint8_t>(ata::Opcode::standby_immediate));
        answered.answer.status = ata::kStatusError | ata::kDeviceFault;
        EXPECT_EQ(check.judge(answered, 0).has_value(), !may_fail);
    }
}

TEST(HealthCheck, FindsDamagedPages) {
    AskingHost host(1);
    Complaints found;
    for (int question = 0; question < 10'000; ++question) {
        PassThrough answered = host.device.answer(host.check.ask(host.random));
        if (question % 2 == 0 && !answered.data.empty()) {
            answered.data.pop_back();
        } else if (!answered.data.empty()) {
            answered.data[2] ^= std::byte{0x5A};
        }
        found.insert(host.check.judge(answered, 0).value_or(""));
    }
    for (const char* expected :
         {"the checksum of SMART data is wrong", "the checksum of log 10h is wrong",
          "511 bytes came, not 512", "page 7 of log 04h says that it is another one"}) {
        EXPECT_TRUE(found.contains(expected)) << expected;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
