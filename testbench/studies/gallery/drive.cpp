// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/gallery/drive.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/units.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::gallery {
namespace {

/// A value divided by a number, as --set takes it: a duration or a whole number.
std::string divided(const std::string& value, std::uint32_t by) {
    if (const auto time = platform::parse_duration(value)) {
        return platform::format_duration(*time / by);
    }
    return std::to_string(std::stoull(value) / by);
}

std::string wanted(const Drive& drive, const Setting& setting) {
    const std::uint32_t by = divisor_of(drive, setting.key);
    return setting.key + "=" + (by == 1 ? setting.is : divided(setting.is, by));
}

}  // namespace

std::vector<PastTest>::const_iterator past_test_of(const Test& test, std::uint32_t depth) {
    return std::ranges::find_if(
        test.history, [depth](const PastTest& each) { return each.depth == depth && each.jobs == 1; });
}

double scale_of(const Drive& drive) {
    double scale = 1.0;
    for (const auto& [key, by] : drive.scale) {
        scale *= key.starts_with("nand.geometry.") ? by : 1.0;
    }
    return scale;
}

std::uint32_t divisor_of(const Drive& drive, std::string_view key) {
    const auto scale = std::ranges::find(drive.scale, key, &std::pair<std::string, std::uint32_t>::first);
    return scale == drive.scale.end() ? 1 : scale->second;
}

bool Changes::in_force(const Setting& setting) const {
    return setting.mechanism.empty() || !has(without, setting.mechanism);
}

std::vector<std::string> all_mechanisms() {
    std::vector<std::string> names;
    const auto note = [&names](const std::vector<Setting>& settings) {
        for (const Setting& setting : settings) {
            if (!setting.mechanism.empty() && !has(names, setting.mechanism)) {
                names.push_back(setting.mechanism);
            }
        }
    };
    for (const std::string& name : drive_names()) {
        const Drive drive = read_drive(name);
        note(drive.settings);
        for (const Campaign& campaign : drive.campaigns) {
            note(campaign.host.settings);
        }
    }
    return names;
}

platform::Configuration configuration_of(const Drive& drive, const Campaign& campaign, const Test& test,
                                         const Changes& changes) {
    platform::ConfigurationSources sources;
    sources.preset = drive.preset;
    sources.varied = true;
    sources.settings.emplace_back("content=none");
    for (const std::vector<Setting>* settings : {&drive.settings, &campaign.host.settings, &test.settings}) {
        for (const Setting& setting : *settings) {
            const bool guessed = changes.guess.starts_with(setting.key + "=");
            Setting used = setting;
            used.is = guessed ? changes.guess.substr(setting.key.size() + 1) : setting.is;
            if (changes.in_force(setting) && setting.key != kScheduler) {
                sources.settings.push_back(wanted(drive, used));
            }
        }
    }
    std::ranges::copy(changes.settings, std::back_inserter(sources.settings));
    try {
        return platform::load_configuration(sources);
    } catch (const platform::ConfigurationError& error) {
        std::vector<platform::ConfigurationIssue> issues = error.issues();
        for (platform::ConfigurationIssue& issue : issues) {
            issue.source = fmt::format("{}/{}/{}", drive.name, campaign.name, test.name);
        }
        throw platform::ConfigurationError(std::move(issues));
    }
}

std::vector<std::string> fitted_metrics(const std::string& row, const Drive& drive, const Campaign& campaign,
                                        const Test& test, const Changes& changes) {
    std::vector<std::string> metrics;
    for (const std::string& id : test.state_figures) {
        const std::size_t slash = row.rfind('/');
        if (id.starts_with(row.substr(slash + 1) + "/")) {
            metrics.push_back(id.substr(id.find('/') + 1));
        }
    }
    for (const std::vector<Setting>* settings : {&drive.settings, &campaign.host.settings}) {
        for (const Setting& setting : *settings) {
            for (const std::string& id : setting.figures) {
                if (changes.in_force(setting) && id.starts_with(row + "/")) {
                    metrics.push_back(id.substr(row.size() + 1));
                }
            }
        }
    }
    return metrics;
}

}  // namespace solidtlm::testbench::gallery
