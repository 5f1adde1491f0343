// SPDX-License-Identifier: Apache-2.0
//
// The Solid State Storage Performance Test Specification (SNIA SSS PTS) on a simulated drive: rounds of cells
// after preconditioning, until the drive is steady. This program measures the cells; testbench/solidtlm/
// studies/pts.py judges them and makes the reports. docs/pts.md names the sources of the numbers here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/show/latency_histogram.h"
#include "testbench/show/steady_state.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/simulation.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::pts {

inline constexpr std::array<std::string_view, 4> kTests{"iops", "throughput", "latency", "saturation"};
constexpr std::uint32_t kMostRounds = 25;
constexpr Ps kCellTime = std::chrono::seconds(60);
/// Sequential writes before the rounds, in capacities.
constexpr double kSequentialFills = 2.0;
constexpr std::uint64_t kSequentialBytes = 128 * hal::kKiB;
constexpr double kSaturationFills = 4.0;

/// A combination of access parameters, measured once in each round.
struct Cell {
    std::uint64_t block_bytes = 4096;
    std::uint32_t read_percent = 0;
    bool sequential = false;

    [[nodiscard]] bool operator==(const Cell&) const = default;
};

/// A cell ends when all of these are reached, and its last request has ended.
struct CellLength {
    Ps time{0};
    std::uint64_t requests = 0;
    std::uint64_t written_bytes = 0;
};

/// The amount by which steadiness is judged.
enum class Tracked : std::uint8_t { iops, mean_latency };

/// One test on one drive, from its purge on.
struct TestPlan {
    std::string test;  ///< one of kTests
    std::vector<Cell> cells;
    /// indices of the cells by which steadiness is judged; none: it is not judged
    std::vector<std::size_t> tracked;
    Tracked quantity = Tracked::iops;
    CellLength length;
    std::uint32_t depth = 1;  ///< requests outstanding
    std::uint32_t most_rounds = kMostRounds;
    std::uint64_t most_written_bytes = 0;  ///< the test ends when this much was written; 0: no such limit
    std::uint64_t range_bytes = 0;         ///< active range, from the first sector on
    // Before the rounds, without simulated time:
    double sequential_fills = kSequentialFills;  ///< of the active range
    std::uint64_t sequential_bytes = kSequentialBytes;
    double random_fills = 0.0;  ///< then at random, 4 KiB each
    /// Then, in simulated time, this much more at random: a drive that was overwritten without time has
    /// collected more than it will have collected in the rounds (docs/ageing.md).
    std::uint64_t lead_bytes = 0;

    std::vector<std::string> deviations;  ///< from the specification, in words
};

/// What the user chooses.
struct Options {
    std::vector<std::string> tests{"iops", "throughput", "latency"};
    std::vector<std::uint64_t> blocks{};         ///< of the IOPS test; none: those of the specification
    std::vector<std::uint64_t> read_percents{};  ///< as `blocks`
    CellLength cell{std::chrono::seconds(1), 0, 0};
    std::uint32_t rounds = kMostRounds;
    std::string mode = "enterprise";    ///< or client
    std::optional<bool> write_cache{};  ///< none: as the mode has it
    std::optional<double> overwrite{};  ///< TestPlan::random_fills; none: 1 if cells are short, else 0
    double fills = kSaturationFills;
    std::uint32_t depth = 32;

    [[nodiscard]] bool client() const { return mode == "client"; }
    [[nodiscard]] bool cached() const { return write_cache.value_or(client()); }
};

/// The cells of the IOPS test in order: shares of reads from 100 % down, block sizes from 1 MiB down.
[[nodiscard]] std::vector<Cell> iops_cells(const Options& options);
/// The tests that were asked for, one per purge: throughput has one for each block size.
[[nodiscard]] std::vector<TestPlan> plans_of(const Options& options,
                                             const platform::Configuration& configuration);

/// A cell of a round as it was measured.
struct CellResult {
    std::uint32_t round = 1;
    std::size_t cell = 0;  ///< index in TestPlan::cells
    Ps begin{0};
    Ps time{0};  ///< from its first request to the end of its last one
    std::uint64_t bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t programmed_bytes = 0;  ///< by the flash meanwhile
    LatencyHistogram latency;            ///< of its requests

    [[nodiscard]] double iops() const;
    /// Numbers by name, as in Point::derived (docs/pts.md).
    [[nodiscard]] Json to_json() const;
};

/// Whether the last five rounds are steady by the criterion, for every cell that is tracked. False if nothing
/// is tracked. `results`: all cells of whole rounds, in order.
[[nodiscard]] bool steady(const TestPlan& plan, const std::vector<CellResult>& results);

/// Follows the commands of a cell.
class CellRecorder : public RunWatcher {
  public:
    explicit CellRecorder(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

    void begin(std::function<DeviceTelemetry()> collect) override { collect_ = std::move(collect); }
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    void begin_cell(std::uint32_t round, std::size_t cell, Ps now);
    /// The command that completes next was the last one of its request, which has not failed.
    void request_ends() { request_ends_ = true; }
    void end_cell(Ps now);
    [[nodiscard]] const std::vector<CellResult>& results() const { return results_; }

  private:
    [[nodiscard]] std::uint64_t programmed_bytes() const;

    std::uint64_t page_bytes_;
    std::function<DeviceTelemetry()> collect_;
    CellResult now_;
    std::uint64_t programmed_before_ = 0;
    bool request_ends_ = false;
    std::vector<CellResult> results_;
};

/// The lead, then rounds of cells until the drive is steady. Between two cells the queue runs empty. A cell
/// of the next round goes on where that of the last one has stopped.
class RoundSource : public RequestSource, public SourceFeedback {
  public:
    RoundSource(const TestPlan& plan, std::uint64_t seed, CellRecorder& recorder);

    bool next(Request& request) override;
    [[nodiscard]] SourceFeedback* feedback() override { return this; }

    void advance(Ps now) override { now_ = now; }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return std::nullopt; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

  private:
    [[nodiscard]] bool cell_is_over() const;
    void end_cell();
    [[nodiscard]] bool test_is_over() const;

    const TestPlan& plan_;
    CellRecorder& recorder_;
    std::vector<std::unique_ptr<RequestSource>> loads_;  // by cell
    std::unique_ptr<RequestSource> lead_;                // before the rounds, until it ends; null: none
    Ps now_{0};
    std::uint32_t round_ = 1;
    std::size_t cell_ = 0;
    Ps begun_{0};
    std::uint64_t given_ = 0;          // requests of this cell
    std::uint64_t given_bytes_ = 0;    // written by these
    std::uint64_t outstanding_ = 0;    // of these
    std::uint64_t written_bytes_ = 0;  // by earlier cells
    bool ended_ = false;
};

/// The writes that come before the rounds; null if there are none.
[[nodiscard]] std::unique_ptr<RequestSource> preconditioning(const TestPlan& plan, std::uint64_t seed);

/// The job that carries out a test on a new drive: a point with its result, and a point for each cell of each
/// round.
[[nodiscard]] StudyJob job_of(const TestPlan& plan, const platform::Configuration& configuration);

}  // namespace solidtlm::testbench::pts
