// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include "testbench/show/progress.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/torture/shrink.h"

namespace solidtlm::testbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBatch = 8;  // cases per process in a batch

std::string indented(std::string_view text) {
    std::string result = "    ";
    for (const char c : text.substr(0, text.find_last_not_of('\n') + 1)) {
        result += c;
        result += c == '\n' ? "    " : "";
    }
    return result + "\n";
}

std::string in_lines(const std::vector<std::string>& faults) {
    return fmt::format("{}", fmt::join(faults, "\n"));
}

std::size_t items_of(const TortureCase& torture) {
    std::size_t items = 0;
    for (const auto list : kCaseLists) {
        items += (torture.*list).size();
    }
    return items;
}

/// When a run ended: from its result, or from the text of the failed check.
std::optional<hal::Ps> end_of(const CaseOutcome& outcome) {
    if (outcome.result.contains("end_ps")) {
        return hal::Ps{outcome.result["end_ps"].get<std::int64_t>()};
    }
    constexpr std::string_view kSaid = "at simulated time ";
    const std::string& text = outcome.faults.front();
    const std::size_t at = text.find(kSaid);
    return at == std::string::npos ? std::nullopt
                                   : std::optional(hal::Ps{std::stoll(text.substr(at + kSaid.size()))});
}

/// Records the waveform of the last millisecond of a failing case. Returns its place, or why there is none.
std::string record(const CampaignSettings& settings, const TortureCase& torture,
                   const std::filesystem::path& file) {
    const auto run = [&](const RecorderSettings& recorders) {
        const CaseJob job{"waveform", [&] { return settings.run(torture, recorders); }};
        return run_in_children({job}, 1, settings.limits).front();
    };
    const CaseOutcome outcome = run({});
    const auto end = outcome.faults.empty() ? std::nullopt : end_of(outcome);
    if (!end) {
        return "no waveform: the run does not say when it ended";
    }
    RecorderSettings recorders;
    std::filesystem::remove(file);
    recorders.vcd = file;
    recorders.vcd_window.from = std::max(hal::Ps{0}, *end - hal::Ps{std::chrono::milliseconds(1)});
    (void)run(recorders);
    return std::filesystem::exists(file) ? "waveform of the last millisecond: " + file.string()
                                         : "no waveform: the recording did not end";
}

std::string title(const FoundFault& fault) {
    return fmt::format("seed {}{}", fault.seed, fault.family == Family::real ? " of family real" : "");
}

std::string file_name(const FoundFault& fault) {
    return fmt::format("{}-{}", fault.family == Family::real ? "real" : "seed", fault.seed);
}

/// Runs seeds in batches.
class Campaign {
  public:
    explicit Campaign(const CampaignSettings& settings)
        : settings_(settings),
          progress_(
              "seeds",
              settings.minutes ? std::nullopt : std::optional(settings.last_seed - settings.first_seed + 1),
              progress_mode(settings.quiet)) {}

    CampaignReport run() {
        std::uint64_t seed = settings_.first_seed;
        while (seed <= settings_.last_seed && !over()) {
            const std::uint64_t left = settings_.last_seed - seed;  // seeds after this one
            const std::uint64_t count = std::min(left, kBatch * settings_.jobs - 1) + 1;
            run_batch(seed, count);
            if (left < count) {
                break;
            }
            seed += count;
        }
        progress_.finish();
        report_.coverage = coverage_.to_json(settings_.preset);
        report_.wall_time_s = seconds();
        return std::move(report_);
    }

  private:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - began_).count();
    }
    [[nodiscard]] bool over() const {
        constexpr double kSecondsAMinute = 60;
        return Interruption::signal() != 0 ||
               (settings_.minutes && seconds() >= *settings_.minutes * kSecondsAMinute);
    }
    void run_batch(std::uint64_t first, std::uint64_t count) {
        std::vector<CaseJob> jobs;
        std::vector<FoundFault> cases;
        for (std::uint64_t seed = first; seed - first < count; ++seed) {
            for (const Family family : settings_.families) {
                cases.push_back({seed, family, {}, {}});
                jobs.push_back(
                    {title(cases.back()), [this, seed, family] { return run_drawn(seed, family); }});
            }
        }
        const std::vector<CaseOutcome> outcomes = run_in_children(jobs, settings_.jobs, settings_.limits);
        if (Interruption::signal() != 0) {
            return;  // interrupted cases have no meaningful outcome
        }
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            count_case(cases[i].family, outcomes[i].result);
            count_cost(cases[i], outcomes[i]);
            if (!outcomes[i].faults.empty()) {
                progress_.finish();
                cases[i].faults = outcomes[i].faults;
                cases[i].signature = signature_of(cases[i].faults);
                if (cases[i].signature == kOutOfMemory) {
                    no_memory(std::move(cases[i]));
                } else {
                    found(std::move(cases[i]));
                }
            }
        }
        report_.seeds += count;
        progress_.update(report_.seeds);
    }

    [[nodiscard]] SimulationOutcome run_drawn(std::uint64_t seed, Family family) const {
        const DrawnCase drawn = draw_case_of(settings_, family, seed);
        SimulationOutcome outcome = settings_.run(drawn.torture, {});
        if (outcome.result.is_null()) {  // a session has ended without one
            return outcome;
        }
        outcome.result["redrawn"] = {drawn.redrawn, drawn.redrawn_load};
        outcome.result["workload"] = drawn.torture.workload.front();
        return outcome;
    }

    void count_case(Family family, const Json& result) {
        DrawnCase drawn;
        drawn.family = family;
        if (!result.is_null()) {
            drawn.redrawn = result.at("redrawn")[0];
            drawn.redrawn_load = result.at("redrawn")[1];
            drawn.torture.workload = {result.at("workload").get<std::string>()};
        }
        coverage_.add(drawn, result);
    }

    void count_cost(const FoundFault& each, const CaseOutcome& outcome) {
        if (each.family != Family::real) {
            return;
        }
        PresetCost& cost = report_.costs[draw_case_of(settings_, each.family, each.seed).torture.preset];
        ++cost.cases;
        cost.seconds += outcome.wall_time_s;
        cost.longest_s = std::max(cost.longest_s, outcome.wall_time_s);
        cost.most_memory_bytes = std::max(cost.most_memory_bytes, outcome.peak_memory_bytes);
    }

    /// Running out of memory is not a fault of the drive, so the case is not shrunk.
    void no_memory(FoundFault each) {
        std::cout << title(each) << ": OUT OF MEMORY\n" << indented(in_lines(each.faults)) << std::flush;
        report_.out_of_memory.push_back(std::move(each));
    }

    void found(FoundFault fault) {
        const bool first = signatures_.insert(fault.signature).second;
        std::cout << title(fault) << ": " << (first ? "" : "again ") << "FAULT\n";
        if (first) {
            std::cout << indented(in_lines(fault.faults)) << std::flush;
            const DrawnCase drawn = draw_case_of(settings_, fault.family, fault.seed);
            std::cout << explain(settings_, file_name(fault), drawn.torture, fault.faults) << std::flush;
        } else {
            std::cout << indented(fault.signature) << std::flush;
        }
        report_.found.push_back(std::move(fault));
    }

    const CampaignSettings& settings_;
    const Clock::time_point began_ = Clock::now();
    Progress progress_;
    Coverage coverage_;
    CampaignReport report_;
    std::set<std::string> signatures_;
};

}  // namespace

std::string explain(const CampaignSettings& settings, const std::string& name, const TortureCase& torture,
                    const std::vector<std::string>& faults) {
    const std::string signature = signature_of(faults);
    const bool hangs = signature == "hang";
    CaseLimits limits = settings.limits;
    if (!hangs) {
        limits.time = std::min(limits.time, std::chrono::seconds(5));
    }
    const std::size_t most = hangs ? settings.most_shrinking / 8 : settings.most_shrinking;
    const StillFails still_fails = [&](const std::vector<TortureCase>& cases) {
        std::vector<CaseJob> jobs;
        jobs.reserve(cases.size());
        for (const TortureCase& each : cases) {
            jobs.push_back({"shrinking", [&settings, &each] { return settings.run(each, {}); }});
        }
        std::vector<bool> same;
        same.reserve(cases.size());
        for (const CaseOutcome& outcome : run_in_children(jobs, settings.jobs, limits)) {
            same.push_back(signature_of(outcome.faults) == signature);
        }
        return same;
    };
    const Shrunk shrunk = shrink(torture, still_fails, settings.jobs, most);
    const std::filesystem::path file = settings.out / (name + ".toml");
    const std::string text = to_toml(shrunk.torture, name + " failed:\n" + in_lines(faults));
    write_file_atomically(file, text);
    return fmt::format("  shrunk from {} items to {} in {} runs:\n{}  again: tb_torture --replay {}\n  {}\n",
                       items_of(torture), items_of(shrunk.torture), shrunk.tried,
                       indented(to_toml(shrunk.torture, "")), file.string(),
                       record(settings, shrunk.torture, settings.out / (name + ".vcd")));
}

DrawnCase draw_case_of(const CampaignSettings& settings, Family family, std::uint64_t seed) {
    return family == Family::real ? draw_real_case(seed, settings.real_preset)
                                  : draw_case(seed, settings.preset, settings.pinned);
}

CampaignReport run_campaign(const CampaignSettings& settings) {
    return Campaign(settings).run();
}

}  // namespace solidtlm::testbench
