// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/options.h"

#include <algorithm>

#include "platform/configuration_keys.h"
#include "testbench/studies/map_cache/published.h"
#include "testbench/workload/units.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr const char* kGroup = "Sweep";

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names) {
    const auto nearest = platform::nearest(name, names);
    return nearest ? "; did you mean " + *nearest + "?" : "";
}

CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& values, const char* text) {
    return app.add_option(name, values, text)->delimiter(',')->allow_extra_args(false)->group(kGroup);
}

/// The values once each, in order; an error for each that comes again.
std::vector<std::string> once(const char* option, const std::vector<std::string>& values,
                              std::vector<std::string>& errors) {
    std::vector<std::string> kept;
    for (const std::string& value : values) {
        if (std::ranges::find(kept, value) == kept.end()) {
            kept.push_back(value);
        } else {
            errors.push_back(std::string(option) + ": found " + value + " twice; allowed: each once");
        }
    }
    return kept;
}

const std::vector<std::string>& study_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const PublishedLoad& load : published_loads()) {
            all.emplace_back(load.name);
        }
        return all;
    }();
    return names;
}

}  // namespace

void Options::add_to(CLI::App& app) {
    app.add_option("--timing", timing,
                   "off: the caches alone, as the study has it; full: the whole drive, with contention")
        ->check(one_of({"off", "full"}))
        ->capture_default_str()
        ->group(kGroup);
    add_list(app, "--policies", policies, "Cache policies; tafp_N with windows of N bytes")
        ->capture_default_str();
    add_list(app, "--sizes", sizes, "Cache sizes in bytes; 16k is 16 KiB")->capture_default_str();
    add_list(
        app, "--workloads", workloads,
        "Workloads of the study. Given neither these nor --workload nor --trace: all four, with --timing "
        "full pc alone");
    app.add_flag("--details", details, "T_rm, T_pf and T_rf of every cache")->group(kGroup);
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (line.precondition || line.warm_up != 0) {
        errors.emplace_back(
            "--precondition and --warm-up: tb_map_cache writes what its requests will touch "
            "before it measures; use tb_replay");
    }
    if (!line.pacing.empty() || line.speed != 1.0) {
        errors.emplace_back(
            "--pacing and --speed: tb_map_cache keeps --queue-depth commands outstanding; use "
            "tb_replay");
    }
    if (!timed() && line.queue_depth) {
        errors.emplace_back(
            "--queue-depth: without timing there is one request at a time; use --timing full");
    }
    check_policies_and_sizes(line, errors);
    check_loads(line, errors);
    return errors;
}

void Options::check_policies_and_sizes(const CommandLine& line, std::vector<std::string>& errors) {
    std::vector<Policy> known;
    for (const std::string& name : once("--policies", policies, errors)) {
        if (const auto policy = parse_policy(name)) {
            known.push_back(*policy);
        } else {
            errors.push_back("--policies: found " + name + "; allowed: " + joined(policy_names()) +
                             ", tafp_N with another N" + did_you_mean(name, policy_names()));
        }
    }
    std::vector<std::uint64_t> bytes;
    for (const std::string& text : sizes) {
        if (const auto size = parse_size(text); size && *size > 0) {
            bytes.push_back(*size);
        } else {
            errors.push_back("--sizes: found " + text + "; allowed: " + std::string(kSizeExample));
        }
    }
    std::ranges::sort(bytes);
    if (const auto twice = std::ranges::unique(bytes); !twice.empty()) {
        errors.emplace_back("--sizes: found the same size twice; allowed: each once");
        bytes.erase(twice.begin(), twice.end());
    }
    try {
        caches = caches_of(known, bytes, line.configuration);
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
    }
}

void Options::check_loads(const CommandLine& line, std::vector<std::string>& errors) {
    const bool given = !workloads.empty() || !line.workload.empty() || !line.traces.empty();
    const std::vector<std::string> names = given     ? workloads
                                           : timed() ? std::vector<std::string>{"pc"}
                                                     : study_names();
    for (const std::string& name : once("--workloads", names, errors)) {
        if (std::ranges::find(study_names(), name) == study_names().end()) {
            errors.push_back("--workloads: found " + name + "; allowed: " + joined(study_names()) +
                             ", others with --workload" + did_you_mean(name, study_names()));
        }
        loads.push_back(LoadSpec{name, false});
    }
    if (!line.workload.empty()) {
        loads.push_back(LoadSpec{line.workload, false});
    }
    for (const std::string& trace : once("--trace", line.traces, errors)) {
        loads.push_back(LoadSpec{trace, true});
    }
    for (const LoadSpec& load : loads) {
        if (!load.trace && errors.empty()) {
            try {
                (void)parse_workload(load.text, line.configuration.firmware.exported_sectors);
            } catch (const InputError& error) {
                errors.emplace_back(error.what());
            }
        }
    }
}

}  // namespace solidtlm::testbench::map_cache
