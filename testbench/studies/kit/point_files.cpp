// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/point_files.h"

#include <fmt/format.h>

#include <fstream>

#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint32_t kMostPoints = 1'000'000;

std::filesystem::path named(const std::filesystem::path& folder, std::size_t point) {
    return folder / fmt::format("{:04}", point);
}

/// Makes paths absolute, because the file is used in another folder.
RunEntries with_whole_paths(RunEntries entries) {
    for (RunEntry& entry : entries) {
        if (entry.key == "trace" || entry.key == "trace_folder") {
            for (std::string& value : entry.values) {
                value = std::filesystem::absolute(value).lexically_normal().string();
            }
        }
    }
    return entries;
}

}  // namespace

void PointFiles::add_to(OptionSet& options) {
    if (!options.has("--config")) {
        return;  // the program takes no run files
    }
    options.group("Elsewhere", Role::aside);
    options.text("--list-points", list, "DIR", "Write a run file for each point there, and exit");
    options.text("--collect", collect, "DIR",
                 "Run nothing: take the points from there, of FILE.toml the result in FILE/");
    options.group("Elsewhere");
    options.unset("--point", point, kinds::integer(1, kMostPoints),
                  "Run this point alone, and write what has come of it for --collect");
}

void PointFiles::check(const CommandLine& line, Errors& errors) const {
    if (point > 0 && line.out.empty() && !line.show_config) {
        errors.emplace_back("--point: found without --out; allowed: with it");
    }
    if ((list.empty() ? 0 : 1) + (collect.empty() ? 0 : 1) + (point > 0 ? 1 : 0) > 1) {
        errors.emplace_back("--list-points, --collect and --point exclude each other; allowed: one of them");
    }
    if (!list.empty()) {
        check_folder(list, line, errors);
    }
    if (!collect.empty() && !std::filesystem::is_directory(collect)) {
        errors.push_back("--collect: found " + collect.string() +
                         ", no folder; allowed: where the points are");
    }
}

void write_run_files(const std::filesystem::path& folder, const CommandLine& line, std::size_t points) {
    const std::string drive = platform::to_toml(line.configuration);
    RunEntries entries = with_whole_paths(line.asked);
    entries.push_back({"point", platform::ValueType::integer, false, {""}});
    for (std::size_t point = 1; point <= points; ++point) {
        entries.back().values = {std::to_string(point)};
        write_file_atomically(named(folder, point).string() + ".toml",
                              "generated = true\n" + drive + "\n" + to_toml(entries));
    }
}

Json point_result(const std::string& scenario, std::size_t point, const std::string& name,
                  const SimulationOutcome& outcome) {
    return {{"scenario", scenario},
            {"version", std::string(version())},
            {"point", point},
            {"name", name},
            {"outcome", packed(outcome)}};
}

std::vector<PointOutcome> read_outcomes(const std::filesystem::path& folder, const std::string& scenario,
                                        std::size_t first, std::size_t count) {
    std::vector<PointOutcome> outcomes(count);
    std::string missing;
    for (std::size_t i = 0; i < count; ++i) {
        const std::filesystem::path file = named(folder, first + i) / kResultFile;
        std::ifstream in(file, std::ios::binary);
        const bool readable = in.good();
        Json document = Json::parse(in, nullptr, false);
        if (document.is_discarded() || document.value("scenario", "") != scenario ||
            document.value("point", std::size_t{0}) != first + i) {
            missing += (missing.empty() ? "" : "\n") + ("--collect: " + file.string()) +
                       (readable ? ": found something else; allowed: " : ": cannot be read; allowed: ") +
                       fmt::format("point {} of {}", first + i, scenario);
            continue;
        }
        outcomes[i].outcome = unpacked(document["outcome"]);
    }
    if (!missing.empty()) {
        throw InputError(missing);
    }
    return outcomes;
}

}  // namespace solidtlm::testbench
