// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/interjections.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fw/hal/check.h"
#include "hw/sata/ata.h"
#include "testbench/sim/refused_commands.h"

namespace solidtlm::testbench {
namespace {

namespace ata = hw::ata;

constexpr std::uint64_t kMostMarked = 40;  ///< most sectors marked by one command
constexpr std::size_t kMostFaults = 10;

/// Calls `action` with each range that a write or trim changes.
template <class Action>
void for_each_range(const Command& command, const Action& action) {
    if (command.operation == Operation::write) {
        action(command.lba, command.sectors);
    } else if (command.operation == Operation::trim) {
        for (const TrimRange& range : command.ranges) {
            action(range.lba, range.sectors);
        }
    }
}

}  // namespace

Interjections::Interjections(const PreparedCase& prepared, Flash flash, SentRequests& sent)
    : questions_(prepared.load.questions),
      uncorrectable_(prepared.load.uncorrectable),
      zeros_after_trim_(prepared.run.configuration.sata.zeros_after_trim),
      sectors_(prepared.run.configuration.firmware.exported_sectors),
      flash_(flash),
      random_(~prepared.load.seed),
      sent_(sent),
      health_(flash != Flash::sound) {}

void Interjections::issued(Command& command) {
    if (reaches_beyond(command, sectors_)) {
        return;
    }
    if (command.operation == Operation::read) {
        reads_[command.sequence] = marks_.stops(command.lba, command.sectors);
    }
    for_each_range(command, [this](Lba lba, std::uint64_t count) { marks_.changing(lba, count); });
}

void Interjections::completed(Command& command) {
    if (command.failed_by(FailureKind::power_lost)) {
        reads_.erase(command.sequence);
        return;
    }
    health_.completed(command);
    if (!reaches_beyond(command, sectors_)) {
        if (command.operation == Operation::read) {
            judge_read(command);
        }
        // Unless trimmed sectors read zeros, a trim may skip parts of mapping units, and their marks stay.
        const bool all = command.operation == Operation::write || zeros_after_trim_;
        if (command.status == CommandStatus::ok && all) {
            for_each_range(command, [this](Lba lba, std::uint64_t count) { marks_.cleared(lba, count); });
        }
    }
    if (!asked_) {
        interject(command);
    }
}

void Interjections::judge_read(const Command& command) {
    const UncorrectableMarks::Stops stops = reads_.extract(command.sequence).mapped();
    const std::uint64_t error = command.error_lba.value;
    if (command.status == CommandStatus::ok) {
        if (stops.certain) {
            fault(fmt::format("a read of LBA {}, {} sectors, returned LBA {}, which is uncorrectable",
                              command.lba.value, command.sectors, stops.at.back()));
        }
        return;
    }
    if (command.failure != FailureKind::uncorrectable) {
        return;
    }
    if (stops.at.empty()) {
        if (flash_ == Flash::readable) {
            fault(fmt::format("LBA {} is lost in spite of parity", error));
        }
        return;
    }
    const bool right =
        flash_ == Flash::may_fail ? !stops.certain || error <= stops.at.back() : stops.allows(error);
    if (right) {
        ++expected_failures_;
    } else {
        fault(fmt::format("a read of LBA {}, {} sectors, stopped at LBA {}, not at {}", command.lba.value,
                          command.sectors, error, stops.at.back()));
    }
}

/// Marks are made only after changes and close to them, because everything is read at the end.
void Interjections::interject(const Command& after) {
    std::optional<Lba> changed;
    for_each_range(after, [&changed](Lba lba, std::uint64_t /*count*/) { changed = lba; });
    marking_ = changed && chance(uncorrectable_);
    if (!marking_ && !chance(questions_)) {
        return;
    }
    command_ = {};
    if (marking_) {
        const std::uint64_t back = random_() % 8;
        command_.registers.command = static_cast<std::uint8_t>(ata::Opcode::write_uncorrectable_ext);
        command_.registers.device = ata::kDeviceLba;
        command_.registers.features = ata::kPseudoUncorrectable;
        command_.registers.lba = Lba{changed->value - std::min(back, changed->value)};
        command_.registers.count = static_cast<std::uint16_t>(1 + random_() % kMostMarked);
        ++sent_.marks;
    } else {
        command_.registers = health_.ask(random_);
        ++sent_.questions;
    }
    command_.done = {[](void* self) { static_cast<Interjections*>(self)->answered(); }, this};
    asked_ = true;
    SOLIDTLM_CHECK(ata_ != nullptr, "the drive has an ATA interface");
    ata_->pass_through(command_);
}

void Interjections::answered() {
    asked_ = false;
    if (!marking_) {
        if (const auto wrong = health_.judge(command_, host_->statistics().reissued)) {
            fault(fmt::format("the answer to command {:02X}h, features {:02X}h, LBA {:X}h, count {}: {}",
                              command_.registers.command, command_.registers.features,
                              command_.registers.lba.value, command_.registers.count, *wrong));
        }
        return;
    }
    const Lba lba = command_.registers.lba;
    const std::uint64_t count = command_.registers.count;
    const bool beyond = lba.value + count > sectors_;
    if (command_.ok()) {
        marks_.mark(lba, count);
    }
    if (command_.answer.status != 0 && command_.ok() == beyond) {
        fault(fmt::format("WRITE UNCORRECTABLE EXT of LBA {}, {} sectors, was {}", lba.value, count,
                          beyond ? "carried out beyond the capacity" : "refused"));
    }
}

/// Marks are kept in DRAM, so they are lost.
void Interjections::power_cut(CutInstant /*instant*/) {
    marks_.power_cut();
    health_.power_cut(host_->statistics().reissued);
}

void Interjections::fault(std::string text) {
    if (faults_.size() < kMostFaults) {
        faults_.push_back(std::move(text));
    }
}

bool Interjections::chance(double share) {
    constexpr std::uint64_t kResolution = 1'000'000;
    return share > 0 && static_cast<double>(random_() % kResolution) < share * kResolution;
}

}  // namespace solidtlm::testbench
