// SPDX-License-Identifier: Apache-2.0
//
// How fast the simulator is on this machine: requests per second, agenda entries and events per request,
// memory, and what one bare SystemC event costs at the same time. Every run is a process of its own.
#include <fmt/format.h>
#include <algorithm>
#include <iostream>

#include "testbench/programs/cli/command_line.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/log.h"
#include "testbench/torture/bench/bare_event.h"
#include "testbench/torture/bench/speed_case.h"
#include "testbench/torture/bench/speed_report.h"

namespace {

using namespace solidtlm::testbench;
using solidtlm::platform::Configuration;

constexpr std::string_view kMemoryCase = "memory";
constexpr std::uint64_t kMapEntryBytes = 4;

struct Options {
    std::vector<std::string> cases;
    std::uint32_t repeat = 3;
    std::uint64_t requests = 400'000;
    std::uint64_t writes = 10'000'000;
};

/// Names of all cases, and of the devices; a device's name stands for all its cases.
solidtlm::platform::Names case_names() {
    solidtlm::platform::Names names{"default", "small_pages"};
    for (const SpeedCase& each : speed_cases()) {
        names.push_back(each.name);
    }
    names.emplace_back(kMemoryCase);
    return names;
}

/// "default" selects all cases of that device, "default/random_read" a single one.
bool chosen(const std::vector<std::string>& wanted, std::string_view name) {
    return wanted.empty() || std::ranges::any_of(wanted, [name](const std::string& each) {
               return name == each || (name.starts_with(each) && name[each.size()] == '/');
           });
}

/// Runs the measuring child processes in order and collects their errors.
class Bench {
  public:
    Bench(const Configuration& base, const Options& options, bool quiet)
        : base_(base), options_(options), quiet_(quiet) {}

    Json measure(const SpeedCase& speed_case);
    Json measure_memory();
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

  private:
    static PointJob bare_job() {
        return {"bare event", [] {
                    const BareEventCost cost = measure_bare_event();
                    SimulationOutcome outcome;
                    outcome.result = {{"method_ns", cost.method_ns}, {"thread_ns", cost.thread_ns}};
                    return outcome;
                }};
    }
    static BareEventCost cost_of(const PointOutcome& bare) {
        const Json& result = bare.outcome.result;
        return {result.at("method_ns").get<double>(), result.at("thread_ns").get<double>()};
    }
    std::vector<PointOutcome> run(const std::string& name, const std::vector<PointJob>& jobs);

    const Configuration& base_;
    const Options& options_;
    bool quiet_;
    std::vector<std::string> faults_;
};

std::vector<PointOutcome> Bench::run(const std::string& name, const std::vector<PointJob>& jobs) {
    if (!quiet_) {
        std::cerr << name << "\n";
    }
    std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{1, true});
    for (const PointOutcome& each : outcomes) {
        for (const std::string& fault : each.outcome.faults) {
            std::string line = name;
            faults_.push_back(line.append(": ").append(fault));
        }
    }
    return outcomes;
}

Json Bench::measure(const SpeedCase& speed_case) {
    const std::uint64_t requests = requests_of(speed_case, options_.requests);
    std::vector<PointJob> jobs{bare_job()};
    for (std::uint32_t i = 0; i < options_.repeat; ++i) {
        jobs.push_back({speed_case.name, [this, &speed_case, requests] {
                            return run_speed_case(speed_case, base_, requests);
                        }});
        jobs.push_back(bare_job());
    }
    const std::size_t faults_before = faults_.size();
    const std::vector<PointOutcome> outcomes = run(speed_case.name, jobs);
    if (faults_.size() > faults_before) {
        return nullptr;
    }
    CaseMeasurement measurement;
    measurement.speed_case = &speed_case;
    const Configuration configuration = configuration_of(speed_case, base_);
    measurement.map_table_bytes =
        configuration.exported_bytes() / configuration.firmware.unit_bytes * kMapEntryBytes;
    for (std::size_t i = 1; i + 1 < outcomes.size(); i += 2) {
        measurement.samples.push_back(SpeedSample{outcomes[i].outcome.result.at("sample"),
                                                  cost_of(outcomes[i - 1]), cost_of(outcomes[i + 1]),
                                                  outcomes[i].peak_memory_bytes});
    }
    return speed_section(measurement);
}

Json Bench::measure_memory() {
    const auto outcomes =
        run(std::string(kMemoryCase),
            {{std::string(kMemoryCase), [this] { return run_memory_case(base_, options_.writes); }}});
    Json section = outcomes[0].outcome.result;
    section["peak_memory_bytes"] = outcomes[0].peak_memory_bytes;
    return section;
}

std::string memory_text(const Json& memory) {
    const Json& resident = memory.at("resident_bytes");
    const auto writes = memory.at("writes").get<double>();
    return fmt::format("memory in use after {} writes {}, after {} writes {}\n", grouped(writes / 10, 0),
                       bytes_text(resident[0].get<double>()), grouped(writes, 0),
                       bytes_text(resident[1].get<double>()));
}

int bench(const CommandLine& line, const Options& options) {
    if (line.dry_run) {
        end_dry_run(line.configuration, std::to_string(options.repeat) + " runs of each case");
    }
    Bench bench(line.configuration, options, line.quiet);
    Json cases = Json::array();
    for (const SpeedCase& each : speed_cases()) {
        if (chosen(options.cases, each.name)) {
            if (Json section = bench.measure(each); !section.is_null()) {
                cases.push_back(std::move(section));
            }
        }
    }
    Json document{{"schema", "solidtlm.speed/1"},
                  {"config", solidtlm::platform::to_json(line.configuration)},
                  {"repeat", options.repeat},
                  {"cases", std::move(cases)}};
    if (chosen(options.cases, kMemoryCase)) {
        document["memory"] = bench.measure_memory();
    }
    if (!line.out.empty()) {
        write_file_atomically(line.out / "speed.json", to_text(document));
    }
    if (!line.quiet) {
        std::cout << speed_table(document, style_for(1));
        if (document.contains("memory") && document["memory"].contains("writes")) {
            std::cout << memory_text(document["memory"]);
        }
        std::cout << std::flush;
    }
    for (const std::string& fault : bench.faults()) {
        report_error(std::cerr, fault);
    }
    return bench.faults().empty() ? kExitSuccess : kExitFailure;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Options options;
    Program program;
    program.name = "bench_speed";
    program.summary = "Measures how fast the simulator is on this machine and what it needs.";
    program.examples = {"--out out", "--cases default --repeat 5", "--cases memory"};
    program.configuration_defaults = "content = \"none\"\n";
    program.add_options = [&options](OptionSet& set) {
        constexpr std::uint64_t kMostRuns = 1000;
        constexpr std::uint64_t kMost = 1'000'000'000;
        set.list("--cases", options.cases, kinds::one_of(case_names()), "Only these");
        set.value("--repeat", options.repeat, kinds::integer(1, kMostRuns), "Timed runs of each case");
        set.value("--requests", options.requests, kinds::integer(1, kMost),
                  "Requests of 4 KiB per run; an eighth of them of 128 KiB");
        set.value("--writes", options.writes, kinds::integer(10, kMost), "Writes of the case memory");
    };
    program.unused = {{kRequestOptions, "bench_speed makes its own requests; use tb_replay"},
                      {{"--queue-depth"}, "the queue is kept full: sata.queue_depth"},
                      {kAgeingOptions, "bench_speed ages its drives itself"},
                      {kSavedResultOptions, "no two measurements are the same"},
                      {{"--no-report"}, "there is none"},
                      {{"--jobs"}, "runs come one after another, so that none disturbs another"}};
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        return bench(line, options);
    });
}
