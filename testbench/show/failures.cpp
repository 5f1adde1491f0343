// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/failures.h"

#include <fmt/format.h>

#include <algorithm>

#include "testbench/show/json_number.h"
#include "testbench/show/summary_sections.h"
#include "testbench/show/text_table.h"

namespace solidtlm::testbench {
namespace {

/// The failed LBA as the device reports it; for a trim, the first sector of its first range.
std::optional<Lba> place_of(const Command& command) {
    switch (command.operation) {
        case Operation::read:
        case Operation::write:
            return command.failed_by(FailureKind::power_lost) ? command.lba : command.error_lba;
        case Operation::trim:
            return command.ranges.empty() ? std::nullopt : std::optional(command.ranges.front().lba);
        default:
            return std::nullopt;
    }
}

std::string_view kind_in_words(const std::string& name) {
    constexpr std::array<std::string_view, kFailureKindNames.size()> kWords{
        "uncorrectable (UNC)", "address not found (IDNF)", "write fault (DF)", "aborted (ABRT)",
        "lost with the power"};
    const auto found = std::ranges::find(kFailureKindNames, name);
    return kWords.at(static_cast<std::size_t>(found - kFailureKindNames.begin()));
}

std::string drive_in_words(const Json& drive) {
    std::string text = "the drive ";
    if (drive.at("read_only").get<bool>()) {
        const Json& since = drive.at("read_only_since_s");
        text += fmt::format(
            "has been read-only {}: {}",
            since.is_null() ? std::string("from the start") : "since " + seconds_text(number(since)),
            drive.at("read_only_why").get<std::string>());
    } else {
        text += "takes writes";
    }
    if (drive.at("lost_writes").get<bool>()) {
        text += "; it has lost data that it had acknowledged";
    }
    return text + fmt::format("; {} blocks retired, {} % of the reserve left, {} % of the rated erases used",
                              grouped(number(drive.at("retired_blocks")), 0),
                              drive.at("reserve_percent").dump(), drive.at("percentage_used").dump());
}

}  // namespace

void Failures::completed(Command& command) {
    if (command.status == CommandStatus::ok) {
        return;
    }
    OfKind& kind = kinds_[static_cast<std::size_t>(command.failure)];
    if (kind.count++ == 0) {
        kind.operation = command.operation;
        kind.lba = place_of(command);
        kind.at = command.completed_at;
    }
}

bool Failures::any() const {
    return std::ranges::any_of(kinds_, [](const OfKind& kind) { return kind.count > 0; });
}

Json failures_section(const Failures& failures, const DriveState* drive) {
    Json section = Json::object();
    Json& kinds = section["kinds"] = Json::object();
    for (std::size_t i = 0; i < kFailureKindNames.size(); ++i) {
        const Failures::OfKind& kind = failures[static_cast<FailureKind>(i)];
        if (kind.count > 0) {
            kinds[std::string(kFailureKindNames[i])] = {
                {"count", kind.count},
                {"first",
                 {{"operation", kOperationNames[static_cast<std::size_t>(kind.operation)]},
                  {"lba", kind.lba ? Json(kind.lba->value) : Json(nullptr)},
                  {"at_s", ps_of(kind.at) / hal::kPsPerSecond}}}};
        }
    }
    if (drive != nullptr) {
        const hal::HealthReport& health = drive->health;
        Json& state = section["drive"] = {{"read_only", health.read_only}};
        if (health.read_only) {
            state["read_only_since_s"] = health.read_only_since
                                             ? Json(ps_of(*health.read_only_since) / hal::kPsPerSecond)
                                             : Json(nullptr);
            state["read_only_why"] = health.read_only_why;
        }
        state["lost_writes"] = drive->lost_writes;
        state["retired_blocks"] = health.retired_blocks;
        state["reserve_percent"] = health.reserve_percent;
        state["percentage_used"] = health.percentage_used;
    }
    return section;
}

std::vector<std::string> failure_facts(const Json& section) {
    std::vector<std::string> facts;
    for (const auto& [name, kind] : section.at("kinds").items()) {
        if (name == kFailureKindNames[static_cast<std::size_t>(FailureKind::power_lost)]) {
            continue;
        }
        const Json& first = kind.at("first");
        facts.push_back(fmt::format("{} {}, the first a {}{} at {}", grouped(number(kind.at("count")), 0),
                                    kind_in_words(name), first.at("operation").get<std::string>(),
                                    first.at("lba").is_null() ? "" : " at LBA " + first.at("lba").dump(),
                                    seconds_text(number(first.at("at_s")))));
    }
    if (section.contains("drive")) {
        facts.push_back(drive_in_words(section.at("drive")));
    }
    return facts;
}

}  // namespace solidtlm::testbench
