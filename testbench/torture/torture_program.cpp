// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/torture_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <random>

#include "platform/units.h"
#include "testbench/programs/cli/command_line.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/torture/campaign.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr const char* kAllFamilies = "all";
constexpr const char* kDraws = "tb_torture draws its requests";

struct Options {
    std::string seeds;
    std::string family = kAllFamilies;
    double minutes = 0;
    std::uint32_t timeout = 30;
    bool show_case = false;
    std::string write_cases;
    std::vector<std::string> replay;
    std::vector<TortureCase> cases;  ///< cases of `replay`; valid after check_options()
    std::uint64_t first_seed = 1;
    std::uint64_t last_seed = 100;

    void add_to(OptionSet& options) {
        options.group("Torture");
        options.text("--seeds", seeds, "FIRST-LAST", "A case for each of these; 1-100 if nothing is given");
        options.value(
            "--family", family, kinds::one_of({kAllFamilies, "small", "real"}),
            "small: drives drawn from all keys; real: presets at their real size with their own "
            "options; all: a case of each for every seed, or with --preset or --set of small alone");
        options.unset(
            "--minutes", minutes, kinds::number_above(0, 100'000),
            "Run seeds until this wall time is over, from a random first one unless --seeds is given");
        options.value("--timeout", timeout, kinds::integer(1, 86'400, "seconds"),
                      "Processor time after which a case counts as hanging");
        options.flag("--show-case", show_case, "Print the case of the first seed, for --replay, and exit");
        options.text("--write-cases", write_cases, "DIR",
                     "Write the cases of the seeds there, as files for --replay, and exit");
        options.texts("--replay", replay, "FILE", "Run this case instead of seeds; repeatable");
    }

    [[nodiscard]] std::vector<Family> families(const CommandLine& line) const {
        const bool pinned = !line.sources.settings.empty() || !line.sources.preset.empty();
        if (family == "real") {
            return {Family::real};
        }
        return family == "small" || pinned ? std::vector{Family::small}
                                           : std::vector{Family::small, Family::real};
    }

    /// Reads the cases of --replay.
    void read_cases(Errors& errors) {
        for (const std::string& file : replay) {
            std::string where;
            try {
                cases.push_back(read_case(file));
                where = file + ": ";
                (void)prepare(cases.back());
            } catch (const InputError& error) {
                errors.push_back(where + error.what());
            } catch (const platform::ConfigurationError& error) {
                errors.push_back(where + error.what());
            }
        }
    }

    Errors check_options(const CommandLine& line) {
        Errors errors;
        read_cases(errors);
        if (!replay.empty() && (!seeds.empty() || minutes > 0)) {
            errors.emplace_back("--replay: found with --seeds or --minutes; allowed: one or the other");
        }
        if (!write_cases.empty() && minutes > 0) {
            errors.emplace_back("--write-cases: found with --minutes; allowed: with --seeds");
        }
        if (!write_cases.empty()) {
            check_folder(write_cases, line, errors);
        }
        if (family == "real" && !line.sources.settings.empty()) {
            errors.emplace_back(
                "--set: found with --family real, whose presets have their own options; allowed: --family "
                "small");
        }
        if (!seeds.empty()) {
            const std::size_t dash = std::min(seeds.find('-'), seeds.size());
            const auto first = platform::parse_count(seeds.substr(0, dash));
            const auto last = dash == seeds.size() ? first : platform::parse_count(seeds.substr(dash + 1));
            if (!first || !last || *first > *last) {
                errors.push_back("--seeds: found " + seeds +
                                 "; allowed: one number, or the first and the last of a range: 1-1000");
                return errors;
            }
            first_seed = *first;
            last_seed = *last;
        } else if (minutes > 0) {
            first_seed = std::random_device()();
            last_seed = std::numeric_limits<std::uint64_t>::max();
        }
        return errors;
    }
};

std::string_view family_name(Family family) {
    return kFamilyNames.at(static_cast<std::size_t>(family));
}

Json in_json(const std::vector<FoundFault>& cases) {
    Json list = Json::array();
    for (const FoundFault& each : cases) {
        list.push_back({{"seed", each.seed},
                        {"family", family_name(each.family)},
                        {"signature", each.signature},
                        {"faults", each.faults}});
    }
    return list;
}

Json in_json(const std::map<std::string, PresetCost>& costs) {
    Json table = Json::object();
    for (const auto& [preset, cost] : costs) {
        table[preset] = {{"cases", cost.cases},
                         {"seconds", cost.seconds},
                         {"longest_s", cost.longest_s},
                         {"most_memory_bytes", cost.most_memory_bytes}};
    }
    return table;
}

/// A closing text: what cases of each preset cost, and how many failed.
std::string ending(const CampaignReport& report, std::uint64_t first_seed) {
    std::string text;
    for (const auto& [preset, cost] : report.costs) {
        text +=
            fmt::format("{:<9} {:<12} {:.2f} s a case, {:.1f} s at most, {} MiB at most\n",
                        text.empty() ? "cost" : "", preset, cost.seconds / static_cast<double>(cost.cases),
                        cost.longest_s, cost.most_memory_bytes >> 20U);
    }
    text += fmt::format("{} seeds from {} on in {:.0f} s: {} faults", report.seeds, first_seed,
                        report.wall_time_s, report.found.size());
    return text + (report.out_of_memory.empty()
                       ? "\n"
                       : fmt::format(", {} out of memory\n", report.out_of_memory.size()));
}

/// Runs the cases of files and explains those that fail.
int replay(const CommandLine& line, const Options& options, const CampaignSettings& settings) {
    const std::vector<TortureCase>& cases = options.cases;
    std::vector<CaseJob> jobs;
    if (line.dry_run) {
        end_dry_run(line.configuration, fmt::format("{} cases", cases.size()));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        jobs.push_back(
            {options.replay[i], [&run = settings.run, &each = cases[i]] { return run(each, {}); }});
    }
    const std::vector<CaseOutcome> outcomes = run_in_children(jobs, line.jobs, settings.limits);
    int code = kExitSuccess;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const std::vector<std::string>& faults = outcomes[i].faults;
        const bool no_memory = signature_of(faults) == kOutOfMemory;
        if (!line.quiet) {
            std::cout << fmt::format("{}: {} ({:.2f} s)\n", options.replay[i],
                                     faults.empty() ? "survived"
                                     : no_memory    ? "OUT OF MEMORY"
                                                    : "FAULT",
                                     outcomes[i].wall_time_s);
        }
        if (faults.empty()) {
            continue;
        }
        code = kExitFailure;
        for (const std::string& fault : faults) {
            report_error(std::cerr, fault);
        }
        if (no_memory) {
            continue;
        }
        const std::string name = std::filesystem::path(options.replay[i]).stem().string() + "-shrunk";
        std::cout << explain(settings, name, cases[i], faults) << std::flush;
    }
    return code;
}

/// Writes one file per seed and family.
void write_cases(const CampaignSettings& settings, const std::filesystem::path& folder) {
    for (std::uint64_t seed = settings.first_seed; seed <= settings.last_seed; ++seed) {
        for (const Family family : settings.families) {
            const std::string name = fmt::format("seed-{}-{}", seed, family_name(family));
            write_file_atomically(folder / (name + ".toml"),
                                  to_toml(draw_case_of(settings, family, seed).torture, name));
        }
    }
}

int torture(const CommandLine& line, const Options& options, const CaseRunner& run) {
    CampaignSettings settings;
    settings.first_seed = options.first_seed;
    settings.last_seed = options.last_seed;
    settings.minutes = options.minutes > 0 ? std::optional(options.minutes) : std::nullopt;
    settings.run = run;
    settings.families = options.families(line);
    settings.preset = line.configuration.preset;
    settings.real_preset = line.sources.preset;
    settings.pinned = line.sources.settings;
    settings.jobs = line.jobs;
    settings.quiet = line.quiet;
    settings.out = line.out.empty() ? "." : line.out;
    settings.limits.time = std::chrono::seconds(options.timeout);
    if (!options.replay.empty()) {
        return replay(line, options, settings);
    }
    // Also finds mistakes in --set.
    for (const Family family : settings.families) {
        const DrawnCase first = draw_case_of(settings, family, settings.first_seed);
        if (options.show_case) {
            std::cout << to_toml(
                first.torture, fmt::format("seed {} of family {}", settings.first_seed, family_name(family)));
            return kExitSuccess;
        }
    }
    if (!options.write_cases.empty() && !line.dry_run) {
        write_cases(settings, options.write_cases);
        return kExitSuccess;
    }
    if (line.dry_run) {
        end_dry_run(line.configuration, "cases from seed " + std::to_string(settings.first_seed) + " on");
    }
    if (!line.quiet) {
        std::cout << "first seed " << settings.first_seed << "\n" << std::flush;
    }
    const CampaignReport report = run_campaign(settings);
    const Json document{{"first_seed", settings.first_seed},
                        {"seeds", report.seeds},
                        {"wall_time_s", report.wall_time_s},
                        {"preset", settings.preset},
                        {"settings", settings.pinned},
                        {"faults", in_json(report.found)},
                        {"out_of_memory", in_json(report.out_of_memory)},
                        {"costs", in_json(report.costs)},
                        {"coverage", report.coverage}};
    if (!line.out.empty()) {
        write_file_atomically(line.out / "torture.json", to_text(document));
    }
    if (!line.quiet) {
        std::cout << Coverage::text(report.coverage) << ending(report, settings.first_seed);
    }
    if (Interruption::signal() != 0) {
        report_error(std::cerr, Interruption::in_words());
    }
    return report.found.empty() && report.out_of_memory.empty() ? kExitSuccess : kExitFailure;
}

}  // namespace

int torture_program(int argc, const char* const* argv, const CaseRunner& run) {
    Program program;
    program.name = "tb_torture";
    program.summary =
        "Draws configurations, loads and power cuts from seeds, runs them and verifies everything; shrinks "
        "what fails.";
    program.examples = {
        "--seeds 1-1000 --jobs 2 --out out",
        "--minutes 10 --set firmware.translation=page_map",
        "--replay testbench/torture/corpus/plain.toml",
    };
    program.configuration_defaults = "preset = \"tiny\"\n";
    program.varies_keys = true;
    Options options;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.unused = {{kRequestOptions, kDraws},
                      {{"--queue-depth"}, kDraws},
                      {kAgeingOptions, "tb_torture draws how its drives are aged"},
                      {kSavedResultOptions, "use --replay"},
                      {{"--no-report"}, "there is none"},
                      {{"--config"}, "use --preset and --set, which a case keeps"}};
    program.check_options = [&options](const CommandLine& line) { return options.check_options(line); };
    return run_program(argc, argv, program,
                       [&options, &run](const CommandLine& line) { return torture(line, options, run); });
}

}  // namespace solidtlm::testbench
