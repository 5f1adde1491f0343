// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "testbench/run/request_source.h"
#include "testbench/studies/parts/options.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench::dedup {
namespace {

/// The loads of the study and two more recorded ones. Generated ones are sized so that each writes the drive
/// several times. The mail spool was recorded on a disk in memory and waits for every file; a flash drive
/// does not keep up with its times.
struct StudyLoad {
    const char* name;
    const char* workload;         ///< null: a trace
    std::uint64_t requests;       ///< generated, or of the trace at most; 0: all of it
    std::uint64_t address_bytes;  ///< generated: of the drive it is made for
    double slower;                ///< times between arrivals, times this
    const char* file;             ///< in the folder of traces
};
constexpr std::array<StudyLoad, 5> kStudyLoads{{
    {"webvm", "webvm", 320'000, 256ULL << 20U, 1, nullptr},
    {"app_install", "app_install", 16'000, 192ULL << 20U, 1, nullptr},
    {"nat_dev_lowmem", nullptr, 0, 0, 1, "recorded/nat_dev_lowmem.nbd.xz"},
    {"nat_maildir", nullptr, 60'000, 0, 4, "recorded/nat_maildir.nbd.xz"},
    {"fiu_mail", nullptr, 0, 0, 1, "public/fiu_mail_10k_md5.blkparse.xz"},
}};

const StudyLoad& study_load(const std::string& name) {
    return *std::ranges::find_if(kStudyLoads, [&name](const StudyLoad& load) { return load.name == name; });
}

LoadSpec generated(const StudyLoad& load, double scale, const std::string& more) {
    const auto requests = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(load.requests) * scale)));
    return LoadSpec{load.name,   fmt::format("{},count={}{}", load.workload, requests, more),
                    "",          0,
                    load.slower, load.address_bytes};
}

void check_durations(const char* name, const std::vector<std::string>& texts,
                     std::vector<std::string>& errors) {
    for (const std::string& text : texts) {
        const auto duration = parse_duration(text);
        if (!duration || duration->count() <= 0) {
            errors.push_back(fmt::format("{}: found {}; allowed: {}", name, text, kDurationExample));
        }
    }
    check_once(name, texts, errors);
}

}  // namespace

void Options::add_to(CLI::App& app) {
    std::vector<std::string> names;
    names.reserve(kStudyLoads.size());
    for (const StudyLoad& load : kStudyLoads) {
        names.emplace_back(load.name);
    }
    add_list(app, "--parts", parts, "systems: C1 to C5; power: C6; sensitivity: what the results depend on")
        ->check(one_of({"systems", "power", "sensitivity"}));
    add_list(app, "--systems", systems, "What deduplicates")
        ->check(one_of({"none", "online", "offline", "offline_separated", "offline_crc32"}));
    add_list(app, "--workloads", workloads,
             "Loads of the study; given neither these nor --workload nor --trace: all that are there")
        ->check(one_of(names));
    const auto add = [&app](const char* name, auto& value, const char* text) {
        return app.add_option(name, value, text)->capture_default_str()->group(kSweepGroup);
    };
    add("--trace-folder", trace_folder, "Where the traces among them are");
    add("--scale", scale, "Requests of generated workloads, times this")->check(CLI::Range(0.001, 100.0));
    add("--used", used, "Share of the drive's capacity that the load uses; the drive is made to fit")
        ->check(CLI::Range(0.05, 1.0));
    add("--protection", protection, "online: what keeps duplicates over a power loss, in C1 to C5")
        ->check(one_of({"none", "capacitor", "journal"}));
    add_list(app, "--duplicates", duplicates, "Sensitivity: duplicates among the pages written, percent")
        ->check(whole_number(0, 90));
    add_list(app, "--idles", idles, "Sensitivity: mean pauses between bursts");
    add_list(app, "--speeds", speeds, "Sensitivity: arrival times are divided by these")
        ->check(CLI::Range(0.001, 1000.0));
    add_list(app, "--byte-times", byte_times, "Sensitivity: times of a byte on the flash bus");
    add_list(app, "--md5", md5_us, "Sensitivity: times of an MD5 over 4 KiB, us")
        ->check(whole_number(1, 100'000));
    add_list(app, "--tables", tables, "Sensitivity: sizes of the table of fingerprints or CRC32 values");
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (line.precondition || line.warm_up != 0) {
        errors.emplace_back(
            "--precondition, --warm-up: the drive of tb_dedup begins empty and its load fills it; use "
            "tb_replay");
    }
    if (!line.pacing.empty() && line.pacing != "open") {
        errors.push_back("--pacing: found " + line.pacing +
                         "; allowed: open, because idle time is what the systems differ in");
    }
    if (line.configuration.content == hal::ContentMode::none) {
        errors.emplace_back("content: found none; allowed: tags, bytes, because contents are compared");
    }
    check_durations("--idles", idles, errors);
    check_durations("--byte-times", byte_times, errors);
    for (const std::string& table : tables) {
        if (!parse_size(table)) {
            errors.push_back("--tables: found " + table + "; allowed: " + std::string(kSizeExample));
        }
    }
    check_once("--parts", parts, errors);
    check_once("--systems", systems, errors);
    check_once("--workloads", workloads, errors);
    check_once("--duplicates", duplicates, errors);
    check_once("--idles", idles, errors);
    check_once("--md5", md5_us, errors);
    check_once("--tables", tables, errors);
    add_given_loads(line, errors);
    add_study_loads(errors);
    return errors;
}

void Options::add_given_loads(const CommandLine& line, std::vector<std::string>& errors) {
    std::vector<std::string> traces = line.traces;
    check_once("--trace", traces, errors);
    for (const std::string& path : traces) {
        const std::string file = std::filesystem::path(path).filename().string();
        loads_.push_back(
            LoadSpec{file.substr(0, std::max<std::size_t>(1, file.find('.'))), "", path, line.limit, 1.0, 0});
    }
    if (!line.workload.empty()) {
        loads_.push_back(
            LoadSpec{line.workload, line.workload, "", line.limit, 1.0, line.configuration.exported_bytes()});
    }
    for (LoadSpec& load : loads_) {
        const auto same = [&load](const LoadSpec& other) {
            return &other != &load && other.name == load.name;
        };
        if (std::ranges::any_of(loads_, same)) {
            load.name = load.trace;
        }
    }
}

void Options::add_study_loads(std::vector<std::string>& errors) {
    const bool all = workloads.empty();
    if (all && !loads_.empty()) {
        return;
    }
    for (const StudyLoad& load : kStudyLoads) {
        if (!all && std::ranges::find(workloads, load.name) == workloads.end()) {
            continue;
        }
        if (load.workload != nullptr) {
            loads_.push_back(generated(load, scale, ""));
            continue;
        }
        const std::string path = (std::filesystem::path(trace_folder) / load.file).string();
        if (std::filesystem::exists(path)) {
            loads_.push_back(LoadSpec{load.name, "", path, load.requests, load.slower, 0});
        } else if (all) {
            absent_.push_back(path);
        } else {
            errors.push_back(fmt::format("--workloads: found {}, but {} is not there; see --trace-folder",
                                         load.name, path));
        }
    }
}

bool Options::has(const std::string& part) const {
    return std::ranges::find(parts, part) != parts.end();
}

LoadSpec Options::varied(const std::string& workload, double share, const std::string& more) const {
    return generated(study_load(workload), scale * share, more);
}

}  // namespace solidtlm::testbench::dedup
