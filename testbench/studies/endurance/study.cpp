// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "testbench/show/terminal.h"
#include "testbench/studies/endurance/endurance.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::endurance {
namespace {

constexpr double kGigabyte = 1e9;

const std::vector<Column>& life_columns() {
    constexpr double kPerGigabyte = 1.0 / kGigabyte;
    static const std::vector<Column> columns{
        text("care", "care"),
        text("hot", "hot", Align::right),
        text("drive", "drive", Align::right),
        text(
            "ended",
            [](const Measured& point) { return point.derived["read_only"] == true ? "read-only" : "limit"; }),
        number("writes", "drive_writes", 1),
        plain("GB", "host_bytes", 2, kPerGigabyte),
        plain("closed", "closed_form_bytes", 2, kPerGigabyte),
        percent("%", "measured_of_closed_form"),
        number("days", "days", 0),
        number("cycles", "mean_cycles", 0),
        plain("WA", "write_amplification", 2),
        number("bad", "retired_superblocks", 0),
        number("moved", "moved_weak_superblocks", 0),
        number("patrol", "patrolled_superpages", 0)};
    return columns;
}

const std::vector<Column>& data_columns() {
    static const std::vector<Column> columns{
        text("care", "care"),
        text("hot", "hot", Align::right),
        text("drive", "drive", Align::right),
        number("retried", "retried_per_1000", 2),
        {"RBER",
         [](const Measured& point) {
             const auto rber = point.find("rber");
             return TextTable::Cell(rber ? fmt::format("{:.2e}", *rber) : "-");
         }},
        number("failed", "failed_reads", 0),
        number("lost", "lost_in_read_back", 0),
        number("p99 read", "first_read_p99_us", 0),
        number("last", "last_read_p99_us", 0),
        number("p99 write", "first_write_p99_us", 0),
        number("last", "last_write_p99_us", 0)};
    return columns;
}

std::string bathtub_table(Points points, const TextStyle& style) {
    TextTable table;
    table.column("care", Align::left);
    for (const char* name : {"hot", "drives", "first 5 % of life", "least", "last 5 %", "bad in 4 years"}) {
        table.column(name, Align::right);
    }
    const double bin_cycles = bin_cycles_of(select(points));
    for (const Selected& fleet : fleets(points)) {
        const auto rates = bathtub(fleet, bin_cycles);
        if (rates.empty()) {
            continue;
        }
        const auto shown = [](double rate) { return fmt::format("{:.3f} %", 100.0 * rate); };
        const auto least = std::ranges::min_element(rates, {}, &std::pair<double, double>::second);
        table.row({fleet.front()->text("care"), fleet.front()->text("hot"), std::to_string(fleet.size()),
                   shown(rates.front().second), shown(least->second), shown(rates.back().second),
                   fmt::format("{:.0f} %", 100.0 * share_with_bad_superblocks(fleet, kFourYears))});
    }
    return "\n" + style.bold("Superblocks that go bad in 100 cycles, and drives with a bad one") + "\n" +
           table.render(style) +
           "In the field 30 to 80 % of drives grow a bad block within four years (Schroeder et al., FAST "
           "2016).\nHere that follows from faults.lifetime and is no prediction.\n";
}

class EnduranceStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override;

  private:
    LifeOptions options_;
};

Program EnduranceStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_endurance";
    program.summary =
        "Writes simulated SATA SSDs from new to read-only: what they take, and how write amplification, "
        "latency, retries, errors and bad blocks go on the way, with and without read reclaim, refresh and "
        "parity.";
    program.examples = {
        "--out out",
        "--care none,refresh --hot 0.2 --set faults.lifetime.cycles=100 --window 4",
        "--care none --hot 1 --drives 8 --set faults.lifetime.infant_share=0.02",
        "--care reclaim --hot 0.2 --set faults.lifetime.cycles=0 --most-writes 200",
    };
    program.notes =
        "Simulated time stands for more: --day of it is a day in which data ages. Each day begins with a\n"
        "burst of requests, the rest is idle. Latencies are those of the drive as it is configured.\n"
        "The drive has 32 blocks per plane with every preset, unless nand.geometry.blocks is set.\n"
        "docs/endurance.md explains the tables.";
    program.unused = {no_requests(program.name), {kAgeingOptions, "tb_endurance begins with new drives"}};
    program.configuration_defaults =
        "preset = \"tiny\"\n"
        "[nand.geometry]\nblocks = 32\n"
        "[nand.ecc]\nretries = 3\nretry_factor = 0.8\n"
        "[faults]\nbit_errors = true\n"
        "[faults.lifetime]\ncycles = 1000\nshape = 8.0\ninfant_share = 0.01\n"
        "[firmware.wear]\nstatic_threshold = 400\n";
    return program;
}

void EnduranceStudy::add_options(OptionSet& options) {
    constexpr std::uint32_t kMostDrives = 64;
    constexpr double kMostReads = 0.95;
    constexpr double kLeastHot = 0.001;
    constexpr double kLeastWrites = 0.01;
    constexpr double kMostWritesPerDay = 100.0;
    constexpr double kMostDriveWrites = 1e9;
    constexpr std::uint32_t kMostBits = 65535;
    constexpr std::uint32_t kMostParityDies = 64;
    const Ps least_day = std::chrono::milliseconds(1);
    const Ps hour = std::chrono::hours(1);
    options.dimension(
        "--care", options_.care, kinds::one_of(care_names()),
        "none, reclaim (read reclaim), refresh (and patrol), parity (over dies), refresh_parity");
    options.dimension("--hot", options_.hot, kinds::share(kLeastHot, 1.0),
                      "Shares of the addresses that are written after the fill");
    options.value("--drives", options_.drives, kinds::integer(1, kMostDrives),
                  "Drives of each combination, which differ in faults.seed and seed");
    options.value("--reads", options_.reads, kinds::share(0.0, kMostReads),
                  "Share of reads among the requests");
    options.value("--writes-per-day", options_.drive_writes_per_day,
                  kinds::number(kLeastWrites, kMostWritesPerDay), "Drive writes per day");
    options.value("--day", options_.day, kinds::duration(least_day, hour),
                  "Simulated time that stands for a day of retention");
    options.unset("--reclaim-bits", options_.reclaim_bits, kinds::integer(1, kMostBits),
                  "firmware.reliability.reclaim_bits of reclaim and refresh; three quarters of "
                  "nand.ecc.correctable_bits if not given");
    options.value("--patrol", options_.patrol, kinds::duration(Ps{1}, hour),
                  "firmware.reliability.patrol of refresh");
    options.unset("--parity-dies", options_.parity_dies, kinds::integer(2, kMostParityDies),
                  "firmware.reliability.parity_dies of parity; one die of each channel if not given");
    options.value("--window", options_.window, kinds::number(kLeastWrites, kMostDriveWrites),
                  "Drive writes between two samples of the curves");
    options.value("--most-writes", options_.most_writes, kinds::number(0.0, kMostDriveWrites),
                  "Drive writes after which a life ends anyway; 0: when the drive is read-only");
}

void EnduranceStudy::check(const CommandLine& line, Errors& errors) {
    const platform::Configuration& configuration = line.configuration;
    if (configuration.firmware.by_block() && options_.care != std::vector<std::string>{"none"}) {
        errors.emplace_back(
            "--care: only firmware.translation=page_map has read reclaim, patrol and parity; allowed: none");
    }
    const std::uint32_t correctable = configuration.nand.ecc.correctable_bits;
    if (options_.reclaim_bits && *options_.reclaim_bits > correctable) {
        errors.push_back(
            fmt::format("--reclaim-bits: found {}; allowed: at most {} (nand.ecc.correctable_bits)",
                        *options_.reclaim_bits, correctable));
    }
    if (const auto cycles = mean_block_cycles(configuration); cycles && *cycles <= 0.0) {
        errors.push_back(fmt::format("faults.cycles: found {}; allowed: less than blocks last on average",
                                     configuration.nand.faults.cycles));
    }
    if (options_.most_writes == 0.0 && !wears_out(configuration) && !line.show_config) {
        errors.emplace_back(
            "nothing wears this drive out: give --most-writes, or faults.lifetime.cycles, "
            "nand.rules.endurance_cycles, faults.program_failure or faults.erase_failure");
    }
    options_.depth = line.queue_depth.value_or(options_.depth);
}

StudyPlan EnduranceStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    for (const LifePoint& point : points_of(options_, line.configuration)) {
        plan.jobs.push_back(point.job());
    }
    const platform::Configuration& configuration = line.configuration;
    const auto cycles = mean_block_cycles(configuration);
    plan.opening = fmt::format("{}, {} at a time", counted(plan.jobs.size(), "drive"), line.jobs);
    if (cycles && options_.most_writes == 0.0) {
        plan.opening += fmt::format("; each programs about {} units",
                                    grouped(static_cast<double>(configuration.raw_units()) * *cycles, 0));
    }
    plan.opening += "\n";
    return plan;
}

Conclusions EnduranceStudy::conclude(Points points, const TextStyle& style) const {
    const Selected all = select(points);
    return {{},
            figures_of(points),
            titled_table(all, "Lives", life_columns(), style) +
                titled_table(all, "Data and latency (us)", data_columns(), style) +
                bathtub_table(points, style)};
}

}  // namespace
}  // namespace solidtlm::testbench::endurance

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<endurance::EnduranceStudy>();
}
