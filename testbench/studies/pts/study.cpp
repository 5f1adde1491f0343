// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platform/interface_facts.h"
#include "platform/units.h"
#include "testbench/studies/gallery/drive.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/pts/pts.h"

namespace solidtlm::testbench::pts {
namespace {

/// "60s", or "2000": requests.
Kind<CellLength> cell_length() {
    const Kind<Ps> time = kinds::duration(std::chrono::microseconds(1), std::chrono::hours(1));
    constexpr std::uint64_t kMostRequests = 1'000'000'000;
    const Kind<std::uint64_t> requests = kinds::integer(1, kMostRequests);
    return {{platform::ValueType::text, time.range + ", or a number of requests", ", such as 60s or 2000"},
            [time, requests](std::string_view text) -> std::optional<CellLength> {
                if (const auto count = requests.read(text)) {
                    return CellLength{Ps{0}, *count, 0};
                }
                const auto duration = time.read(text);
                return duration ? std::optional(CellLength{*duration, 0, 0}) : std::nullopt;
            },
            [time, requests](const CellLength& length) {
                return length.requests > 0 ? requests.write(length.requests) : time.write(length.time);
            }};
}

const std::vector<Column>& columns() {
    static const std::vector<Column> all{text("test", "test"),
                                         text("round", "round", Align::right),
                                         plain("KiB", "block_bytes", 1, 1.0 / hal::kKiB),
                                         number("reads %", "read_percent", 0),
                                         number("IOPS", "iops", 0),
                                         number("MB/s", "mb_per_s", 1),
                                         number("mean us", "mean_us", 1),
                                         number("p99 us", "p99_us", 0),
                                         number("max us", "max_us", 0),
                                         plain("WA", "write_amplification", 2)};
    return all;
}

/// The drive as a campaign of the gallery has measured it. Throws InputError or
/// platform::ConfigurationError.
platform::Configuration drive_of_gallery(const std::string& name, const std::vector<std::string>& settings) {
    const std::size_t slash = std::min(name.rfind('/'), name.size());
    const gallery::Drive drive = gallery::read_drive(name.substr(0, slash));
    const std::string campaign = name.substr(std::min(slash + 1, name.size()));
    const auto found = std::ranges::find(drive.campaigns, campaign, &gallery::Campaign::name);
    if (found == drive.campaigns.end()) {
        std::vector<std::string> names;
        for (const gallery::Campaign& each : drive.campaigns) {
            names.push_back(drive.name + "/" + each.name);
        }
        throw InputError(fmt::format("--drive: found {}; allowed: one of {}", name, fmt::join(names, ", ")));
    }
    return gallery::configuration_of(drive, *found, {}, {.settings = settings});
}

/// The cells of each test's last round.
Selected last_rounds(Points points) {
    Selected cells;
    for (const Selected& test : groups_of(select(points), {"test"})) {
        for (const Selected& block : test.front()->text("test") == "throughput"
                                         ? groups_of(test, {"block_bytes"})
                                         : std::vector<Selected>{test}) {
            const double last = block.back()->value("round");
            for (const Measured* point : block) {
                if (point->find("round") && point->value("round") == last) {
                    cells.push_back(point);
                }
            }
        }
    }
    return cells;
}

class PtsStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {{}, std::nullopt, titled_table(last_rounds(points), "Last round", columns(), style)};
    }

  private:
    Options options_;
    std::string drive_;
    platform::Configuration configuration_;  ///< of the drive under test, from check() on
};

Program PtsStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_pts";
    program.summary =
        "Measures a simulated SSD by SNIA's Solid State Storage Performance Test Specification: IOPS, "
        "throughput, latency and write saturation, in rounds until it is steady.";
    program.examples = {
        "--out out",
        "--drive intel-s3700/data-sheet --tests iops --write-cache true --out out",
        "--preset tiny --cell 200 --tests iops,saturation",
        "--tests iops --blocks 4k --reads 0 --cell 60s --overwrite 0",
    };
    program.notes =
        "`solidtlm study pts OUT` judges the rounds and makes the reports of the specification.\n"
        "docs/pts.md explains both.";
    program.unused = {no_requests(program.name),
                      {kAgeingOptions, "the specification says how the drive is preconditioned"}};
    return program;
}

void PtsStudy::add_options(OptionSet& options) {
    const Kind<std::uint64_t> block = kinds::where(
        kinds::size(hal::kSectorBytes, hal::kMiB), [](std::uint64_t bytes) { return hal::kMiB % bytes == 0; },
        "a power of two");
    options.dimension("--tests", options_.tests, kinds::one_of({kTests.begin(), kTests.end()}),
                      "Tests, each on a new drive");
    options.text("--drive", drive_, "DRIVE",
                 "A drive of tb_gallery as it was measured, DRIVE/CAMPAIGN; the one of the configuration if "
                 "not given");
    options.value("--cell", options_.cell, cell_length(),
                  "Length of a cell: simulated time, or requests; the specification has 60s");
    options.value("--rounds", options_.rounds, kinds::integer(1, kMostRounds),
                  "Most rounds of a test other than saturation");
    options.value("--mode", options_.mode, kinds::one_of({"enterprise", "client"}),
                  "enterprise: PTS-E, whole capacity and write cache off; client: PTS-C, 75 % and on");
    options.unset("--write-cache", options_.write_cache, kinds::boolean(),
                  "Write cache of the drive, other than --mode has it");
    options.dimension("--blocks", options_.blocks, block, "Block sizes of the IOPS test; all if not given");
    options.dimension("--reads", options_.read_percents, kinds::integer(0, 100),
                      "Percentages of reads in the IOPS test; all if not given");
    options.unset("--overwrite", options_.overwrite, kinds::number(0.0, 100.0),
                  "Times that the active range is overwritten at random before the rounds, without simulated "
                  "time; if not given, 1 in tests of iops and latency whose cells are shorter than a minute");
    options.value("--fills", options_.fills, kinds::number_above(0.0, 1000.0),
                  "Saturation: times that the active range is written");
}

void PtsStudy::check(const CommandLine& line, Errors& errors) {
    configuration_ = line.configuration;
    if (!drive_.empty()) {
        try {
            configuration_ = drive_of_gallery(drive_, line.sources.settings);
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
            return;
        }
    }
    const platform::InterfaceFacts facts = platform::interface_facts(configuration_);
    options_.depth = line.queue_depth.value_or(facts.queue_depth);
    configuration_ = platform::variant_of(
        configuration_,
        {fmt::format("{}.write_cache={}", configuration_.has_nvme() ? "nvme" : "sata", options_.cached())});
    for (const TestPlan& plan : plans_of(options_, configuration_)) {
        if (plan.range_bytes == 0) {
            errors.push_back(
                fmt::format("found an active range of less than 1 MiB; allowed: a larger drive"));
            return;
        }
    }
}

StudyPlan PtsStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    for (const TestPlan& test : plans_of(options_, configuration_)) {
        plan.jobs.push_back(job_of(test, configuration_));
    }
    plan.opening = fmt::format("{}, {} at a time\n", counted(plan.jobs.size(), "drive"), line.jobs);
    return plan;
}

}  // namespace
}  // namespace solidtlm::testbench::pts

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<pts::PtsStudy>();
}
