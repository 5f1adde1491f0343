// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/time_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "testbench/show/json_number.h"

namespace solidtlm::testbench {
namespace {

/// Three decimals: enough for a curve, and short to write.
double rounded(double value) {
    return std::round(value * 1e3) / 1e3;
}

/// `busy` as thousandths of `length`. Time that was granted at the end of an interval may reach into the
/// next.
std::int64_t permille(Ps busy, Ps length) {
    return length > Ps{0} ? std::clamp<std::int64_t>(std::llround(1e3 * ps_of(busy) / ps_of(length)), 0, 1000)
                          : 0;
}

}  // namespace

TimeSeries::TimeSeries(Probe probe) : probe_(std::move(probe)), samples_(kMaxIntervals + 1) {}

void TimeSeries::issued(Command& command) {
    if (used_ == 0) {
        counted_at_ = command.issued_at;
        take(command.issued_at);
        open_ = false;  // what completes at this instant belongs to the first interval
    }
    begin_event(command.issued_at);
    end_event(command.retries == 0 ? 1 : 0);
}

void TimeSeries::completed(Command& command) {
    begin_event(command.completed_at);
    const Ps latency = command.completed_at - command.arrival;
    worst_latency_ = std::max(worst_latency_, latency);
    if (command.status == CommandStatus::ok) {
        const auto operation = static_cast<std::size_t>(command.operation);
        ++totals_.commands[operation];
        totals_.bytes[operation] += bytes_of(command);
        totals_.latency[operation] += static_cast<WidePs>(latency.count());
    }
    end_event(-1);
}

void TimeSeries::finished() {
    if (used_ > 0 && counted_at_ > samples_[used_ - 1].at) {
        take(counted_at_);
    }
    complete_sample();
}

void TimeSeries::begin_event(Ps now) {
    outstanding_integral_ += static_cast<WidePs>((now - counted_at_).count()) * outstanding_;
    if (now > counted_at_) {
        complete_sample();
    }
    counted_at_ = now;
}

// The number of outstanding commands changes.
void TimeSeries::end_event(int change) {
    outstanding_ += change;
    if (counted_at_ >= due_) {
        take(counted_at_);
    }
}

// The instant of the last sample has passed.
void TimeSeries::complete_sample() {
    if (open_) {
        open_ = false;
        Sample& sample = samples_[used_ - 1];
        sample.host = totals_;
        sample.worst_latency = std::max(sample.worst_latency, std::exchange(worst_latency_, Ps{0}));
    }
}

void TimeSeries::take(Ps now) {
    if (intervals() == kMaxIntervals) {
        thin();
    }
    Sample& sample = samples_[used_];
    ++used_;
    sample.at = now;
    sample.host = totals_;
    sample.outstanding = outstanding_integral_;
    sample.worst_latency = std::exchange(worst_latency_, Ps{0});
    probe_(sample.device);
    due_ = now + interval_;
    open_ = true;
}

// Plans longer intervals and drops samples in the middle of intervals that are short by the new plan.
// Intervals that are long because nothing happened stay, so busy times keep their detail.
void TimeSeries::thin() {
    while (intervals() > kMaxIntervals / 2) {
        interval_ *= 2;
        const Ps longest = interval_ + interval_ / 2;
        std::size_t kept = 0;
        Ps worst{0};
        for (std::size_t i = 1; i < used_; ++i) {
            worst = std::max(worst, samples_[i].worst_latency);
            if (i + 1 == used_ || samples_[i + 1].at - samples_[kept].at > longest) {
                ++kept;
                std::swap(samples_[kept], samples_[i]);
                samples_[kept].worst_latency = std::exchange(worst, Ps{0});
            }
        }
        used_ = kept + 1;
    }
}

Json TimeSeries::host_series(std::size_t operation) const {
    Json commands = Json::array();
    Json bytes = Json::array();
    Json latency = Json::array();
    for (std::size_t i = 1; i < used_; ++i) {
        const Sample& before = samples_[i - 1];
        const Sample& after = samples_[i];
        const std::uint64_t count = after.host.commands[operation] - before.host.commands[operation];
        const auto sum = static_cast<double>(after.host.latency[operation] - before.host.latency[operation]);
        commands.push_back(count);
        bytes.push_back(after.host.bytes[operation] - before.host.bytes[operation]);
        latency.push_back(count > 0 ? Json(rounded(sum / static_cast<double>(count) / kPsPerUs))
                                    : Json(nullptr));
    }
    return {{"commands", std::move(commands)},
            {"bytes", std::move(bytes)},
            {"mean_latency_us", std::move(latency)}};
}

// For each holder with any time: one row per die or channel, with one value per `step` intervals.
Json TimeSeries::map_series(std::vector<hal::HolderTimes> DeviceSample::*rows, std::size_t step) const {
    Json by_holder = Json::object();
    const auto& first = samples_.front().device.*rows;
    const auto& last = samples_[used_ - 1].device.*rows;
    for (std::size_t holder = 0; holder < hal::kHolders; ++holder) {
        bool held = false;
        Json matrix = Json::array();
        for (std::size_t row = 0; row < last.size(); ++row) {
            held = held || last[row][holder] != first[row][holder];
            Json values = Json::array();
            for (std::size_t from = 0; from + 1 < used_; from += step) {
                const Sample& before = samples_[from];
                const Sample& after = samples_[std::min(from + step, used_ - 1)];
                values.push_back(
                    permille((after.device.*rows)[row][holder] - (before.device.*rows)[row][holder],
                             after.at - before.at));
            }
            matrix.push_back(std::move(values));
        }
        if (held) {
            by_holder[std::string(hal::kHolderNames[holder])] = std::move(matrix);
        }
    }
    return by_holder;
}

/// Block utilisation and log blocks at the end of each interval.
Json TimeSeries::block_map_series() const {
    Json utilization = Json::array();
    Json logs = Json::array();
    for (std::size_t i = 1; i < used_; ++i) {
        const fw::BlockMapState& state = *samples_[i].device.block_map;
        utilization.push_back(
            state.data_pages == 0
                ? Json(nullptr)
                : Json((1000 * state.data_pages_programmed + state.data_pages / 2) / state.data_pages));
        logs.push_back(state.log_blocks);
    }
    return {{"block_utilization_permille", std::move(utilization)}, {"log_blocks", std::move(logs)}};
}

/// Pages checked and duplicates found in each interval; pages saved and waiting at its end.
Json TimeSeries::dedup_series() const {
    Json checked = Json::array();
    Json duplicates = Json::array();
    Json saved = Json::array();
    Json waiting = Json::array();
    // After a power cut, the firmware counts from 0 again.
    const auto since = [](std::uint64_t before, std::uint64_t after) {
        return after >= before ? after - before : after;
    };
    for (std::size_t i = 1; i < used_; ++i) {
        const fw::DedupState& before = *samples_[i - 1].device.dedup;
        const fw::DedupState& after = *samples_[i].device.dedup;
        checked.push_back(since(before.counters.checked, after.counters.checked));
        duplicates.push_back(since(before.counters.duplicates, after.counters.duplicates));
        saved.push_back(after.saved_pages());
        waiting.push_back(after.waiting);
    }
    return {{"checked", std::move(checked)},
            {"duplicates", std::move(duplicates)},
            {"saved_pages", std::move(saved)},
            {"waiting", std::move(waiting)}};
}

Json TimeSeries::to_json() const {
    Json times = Json::array();
    for (std::size_t i = 0; i < used_; ++i) {
        times.push_back(ps_of(samples_[i].at - samples_.front().at) / kPsPerUs);
    }
    const auto each = [this](const auto& value) {
        Json list = Json::array();
        for (std::size_t i = 1; i < used_; ++i) {
            list.push_back(value(samples_[i - 1], samples_[i]));
        }
        return list;
    };
    const auto busy = [&each](Ps DeviceSample::*part) {
        return each([part](const Sample& before, const Sample& after) {
            return permille(after.device.*part - before.device.*part, after.at - before.at);
        });
    };
    Json operations = Json::object();
    for (std::size_t i = 0; i < kOperations; ++i) {
        if (used_ > 0 && samples_[used_ - 1].host.commands[i] > samples_.front().host.commands[i]) {
            operations[std::string(kOperationNames[i])] = host_series(i);
        }
    }
    const std::size_t dies = used_ == 0 ? 0 : samples_.front().device.dies.size();
    const std::size_t step =
        std::max<std::size_t>(1, (intervals() * dies + kMaxMapValues - 1) / kMaxMapValues);
    Json series{
        {"time_us", std::move(times)},
        {"operations", std::move(operations)},
        {"worst_latency_us", each([](const Sample&, const Sample& after) {
             return rounded(ps_of(after.worst_latency) / kPsPerUs);
         })},
        {"queue_depth", each([](const Sample& before, const Sample& after) {
             return rounded(static_cast<double>(after.outstanding - before.outstanding) /
                            ps_of(after.at - before.at));
         })},
        {"unwritten_units",
         each([](const Sample&, const Sample& after) { return after.device.unwritten_units; })},
        {"free_superblocks",
         each([](const Sample&, const Sample& after) { return after.device.free_superblocks; })},
        {"link_permille", busy(&DeviceSample::link)},
        {"core_permille", busy(&DeviceSample::core)},
        {"dram_permille", busy(&DeviceSample::dram)},
        {"map_step", step},
        {"channels_permille", used_ == 0 ? Json::object() : map_series(&DeviceSample::channels, step)},
        {"dies_permille", used_ == 0 ? Json::object() : map_series(&DeviceSample::dies, step)}};
    if (used_ > 0 && samples_.front().device.block_map) {
        series["block_map"] = block_map_series();
    }
    if (used_ > 0 && samples_.front().device.dedup) {
        series["dedup"] = dedup_series();
    }
    return series;
}

}  // namespace solidtlm::testbench
