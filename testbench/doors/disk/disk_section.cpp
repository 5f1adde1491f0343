// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/disk_section.h"

#include <spdlog/fmt/fmt.h>

#include "platform/units.h"

namespace solidtlm::testbench::disk {
namespace {

/// Names, in the order of Ask.
constexpr std::array<const char*, kAsks> kAskNames{"read", "write", "flush", "trim", "zero", "block_status"};
constexpr double kNsPerUs = 1000.0;
constexpr double kPsPerUs = 1e6;

std::string idle_text(const Timing& timing) {
    switch (timing.idle_mode) {
        case IdleMode::none:
            return "none";
        case IdleMode::wall:
            return "wall";
        default:
            return platform::format_duration(timing.idle);
    }
}

}  // namespace

Json disk_section(const DiskSource& source, const Timing& timing) {
    Json section = Json::object();
    if (timing.mode == TimeMode::paced) {
        section["time"] = "paced";
        section["factor"] = timing.factor;
        section["late_answers"] = source.late_answers();
        section["latest_us"] = static_cast<double>(source.latest().count()) / kNsPerUs;
    } else {
        section["time"] = "afap";
        section["think_us"] = static_cast<double>(timing.think.count()) / kPsPerUs;
        section["idle"] = idle_text(timing);
    }
    Json asked = Json::object();
    for (std::size_t ask = 0; ask < kAsks; ++ask) {
        asked[kAskNames[ask]] = source.asked()[ask];
    }
    section["requests"] = asked;
    return section;
}

std::string disk_lines(const Json& section) {
    std::string text = "Clients\n ";
    for (const auto& [name, count] : section.at("requests").items()) {
        text += fmt::format(" {} {}", name, count.get<std::uint64_t>());
    }
    text += "\n";
    if (section.at("time") == "paced") {
        text += fmt::format(
            "  time paced, x {}: {} answers late, by {:.0f} us at most\n", section.at("factor").get<double>(),
            section.at("late_answers").get<std::uint64_t>(), section.at("latest_us").get<double>());
    } else {
        text += fmt::format("  time afap: runs while commands are outstanding; think {} us, idle {}\n",
                            section.at("think_us").get<double>(), section.at("idle").get<std::string>());
    }
    return text;
}

}  // namespace solidtlm::testbench::disk
