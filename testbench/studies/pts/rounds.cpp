// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "testbench/show/json_number.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/pts/pts.h"

namespace solidtlm::testbench::pts {
namespace {

constexpr Cell kRandomWrite{4096, 0, false};

/// An endless load over the active range; blocks begin at multiples of their size.
WorkloadConfig load_of(const Cell& cell, std::uint64_t range_bytes, std::uint64_t seed) {
    WorkloadConfig load;
    load.pattern = cell.sequential ? "sequential" : "random";
    load.read_share = cell.read_percent / 100.0;
    load.sizes = {{cell.block_bytes / hal::kSectorBytes, 1}};
    load.align_sectors = cell.block_bytes / hal::kSectorBytes;
    load.end_sector = range_bytes / hal::kSectorBytes;
    load.seed = seed;
    return load;
}

/// Writes `fills` times as much as the active range holds, in whole blocks.
std::unique_ptr<RequestSource> writes_of(const Cell& cell, double fills, std::uint64_t range_bytes,
                                         std::uint64_t seed) {
    WorkloadConfig load = load_of(cell, range_bytes, seed);
    load.total_bytes = static_cast<std::uint64_t>(fills * static_cast<double>(range_bytes));
    return load.total_bytes > 0 ? make_workload(load) : nullptr;
}

class InTurn : public RequestSource {
  public:
    InTurn(std::unique_ptr<RequestSource> first, std::unique_ptr<RequestSource> second)
        : first_(std::move(first)), second_(std::move(second)) {}

    bool next(Request& request) override {
        return (first_ && first_->next(request)) || (second_ && second_->next(request));
    }

  private:
    std::unique_ptr<RequestSource> first_;
    std::unique_ptr<RequestSource> second_;
};

}  // namespace

double CellResult::iops() const {
    return static_cast<double>(latency.count()) / (ps_of(time) / hal::kPsPerSecond);
}

Json CellResult::to_json() const {
    constexpr double kBytesPerMb = 1e6;
    const double seconds = ps_of(time) / hal::kPsPerSecond;
    const auto us = [](Ps duration) { return ps_of(duration) / kPsPerUs; };
    Json json{{"begin_s", ps_of(begin) / hal::kPsPerSecond},
              {"seconds", seconds},
              {"requests", latency.count()},
              {"iops", iops()},
              {"mb_per_s", static_cast<double>(bytes) / kBytesPerMb / seconds},
              {"mean_us", latency.mean_ps() / kPsPerUs},
              {"p99_us", us(latency.percentile(990))},
              {"p999_us", us(latency.percentile(999))},
              {"max_us", us(latency.max())},
              {"written_bytes", written_bytes},
              {"write_amplification", nullptr}};
    if (written_bytes > 0) {
        json["write_amplification"] =
            static_cast<double>(programmed_bytes) / static_cast<double>(written_bytes);
    }
    return json;
}

bool steady(const TestPlan& plan, const std::vector<CellResult>& results) {
    const std::size_t rounds = results.size() / plan.cells.size();
    if (rounds < kSteadyRounds) {
        return false;
    }
    const auto cell_is_steady = [&](std::size_t cell) {
        std::array<double, kSteadyRounds> values{};
        for (std::size_t i = 0; i < kSteadyRounds; ++i) {
            const CellResult& result = results[(rounds - kSteadyRounds + i) * plan.cells.size() + cell];
            values[i] = plan.quantity == Tracked::iops ? result.iops() : result.latency.mean_ps();
        }
        return Drift(values).steady();
    };
    return !plan.tracked.empty() && std::ranges::all_of(plan.tracked, cell_is_steady);
}

std::uint64_t CellRecorder::programmed_bytes() const {
    return collect_().nand_total().programs * page_bytes_;
}

void CellRecorder::completed(Command& command) {
    if (std::exchange(request_ends_, false)) {
        now_.latency.add(command.completed_at - command.arrival);
    }
    const std::uint64_t bytes = std::uint64_t{command.sectors} * hal::kSectorBytes;
    now_.bytes += bytes;
    now_.written_bytes += command.operation == Operation::write ? bytes : 0;
}

void CellRecorder::begin_cell(std::uint32_t round, std::size_t cell, Ps now) {
    now_ = CellResult{};
    now_.round = round;
    now_.cell = cell;
    now_.begin = now;
    programmed_before_ = programmed_bytes();
}

void CellRecorder::end_cell(Ps now) {
    now_.time = now - now_.begin;
    now_.programmed_bytes = programmed_bytes() - programmed_before_;
    results_.push_back(std::move(now_));
}

RoundSource::RoundSource(const TestPlan& plan, std::uint64_t seed, CellRecorder& recorder)
    : plan_(plan), recorder_(recorder) {
    SOLIDTLM_CHECK(!plan.cells.empty(), "a round has cells");
    loads_.reserve(plan.cells.size());
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        loads_.push_back(make_workload(load_of(plan.cells[i], plan.range_bytes, seed + i)));
    }
    const double lead = static_cast<double>(plan.lead_bytes) / static_cast<double>(plan.range_bytes);
    lead_ = writes_of(kRandomWrite, lead, plan.range_bytes, seed + plan.cells.size());
}

bool RoundSource::cell_is_over() const {
    const CellLength& length = plan_.length;
    return given_ > 0 && given_ >= length.requests && given_bytes_ >= length.written_bytes &&
           now_ - begun_ >= length.time;
}

bool RoundSource::test_is_over() const {
    return round_ == plan_.most_rounds || steady(plan_, recorder_.results()) ||
           (plan_.most_written_bytes > 0 && written_bytes_ >= plan_.most_written_bytes);
}

void RoundSource::end_cell() {
    recorder_.end_cell(now_);
    written_bytes_ += given_bytes_;
    given_ = 0;
    given_bytes_ = 0;
    if (++cell_ == plan_.cells.size()) {
        cell_ = 0;
        ended_ = test_is_over();
        ++round_;
    }
}

bool RoundSource::next(Request& request) {
    if (lead_) {
        if (lead_->next(request)) {
            ++outstanding_;
            return true;
        }
        if (outstanding_ > 0) {
            return false;
        }
        lead_.reset();
    }
    if (!ended_ && cell_is_over()) {
        if (outstanding_ > 0) {
            return false;
        }
        end_cell();
    }
    if (ended_) {
        return false;
    }
    if (given_ == 0) {
        begun_ = now_;
        recorder_.begin_cell(round_, cell_, now_);
    }
    (void)loads_[cell_]->next(request);
    ++given_;
    ++outstanding_;
    given_bytes_ += request.operation == Operation::write ? request.sectors * hal::kSectorBytes : 0;
    return true;
}

void RoundSource::completed(std::uint64_t /*token*/, bool ok, Ps now) {
    now_ = now;
    --outstanding_;
    if (ok) {
        recorder_.request_ends();
    }
}

std::unique_ptr<RequestSource> preconditioning(const TestPlan& plan, std::uint64_t seed) {
    auto sequential =
        writes_of({plan.sequential_bytes, 0, true}, plan.sequential_fills, plan.range_bytes, seed);
    auto random = writes_of(kRandomWrite, plan.random_fills, plan.range_bytes, workload_seed(seed));
    if (!sequential && !random) {
        return nullptr;
    }
    return std::make_unique<InTurn>(std::move(sequential), std::move(random));
}

}  // namespace solidtlm::testbench::pts
