// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "testbench/show/json_number.h"
#include "testbench/studies/endurance/endurance.h"

namespace solidtlm::testbench::endurance {
namespace {

/// 0 if the drive does not have this counter.
std::uint64_t count_in(const hal::Metrics& metrics, const std::string& name) {
    const auto found =
        std::ranges::find_if(metrics, [&name](const auto& told) { return told.first == name; });
    return found == metrics.end() ? 0 : metrics.count(name);
}

double ratio(double part, double whole) {
    return whole > 0.0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// `after` covers the life up to the end of a window that began with `before`.
Json numbers_of(const LifeCounts& before, const LifeCounts& after, Ps end, const DriveFacts& facts) {
    constexpr double kPerMille = 1000.0;
    const std::uint64_t codewords = after.codewords - before.codewords;
    return {
        {"drive_writes", ratio(after.host_bytes, facts.exported_bytes)},
        {"host_bytes", after.host_bytes},
        {"days", ps_of(end) / ps_of(facts.day)},
        {"mean_cycles", ratio(after.erases, facts.blocks)},
        {"write_amplification", finite(ratio((after.programs - before.programs) * facts.page_bytes,
                                             after.host_bytes - before.host_bytes))},
        {"rber", finite(ratio(after.raw_errors - before.raw_errors, codewords * facts.codeword_bits))},
        {"retried_per_1000",
         finite(kPerMille * ratio(after.retried - before.retried, after.page_reads - before.page_reads))},
        {"failed_reads", after.failed_reads - before.failed_reads},
        {"retired_superblocks", after.retired},
        {"moved_weak_superblocks", after.moved_weak},
        {"patrolled_superpages", after.patrolled},
    };
}

void add_latencies(const LatencyHistogram& latency, const std::string& operation, Json& sample) {
    const auto add = [&](const char* name, std::uint32_t per_mille) {
        sample[operation + name] =
            latency.count() > 0 ? Json(ps_of(latency.percentile(per_mille)) / kPsPerUs) : Json();
    };
    add("_p50_us", 500);
    add("_p99_us", 990);
    add("_p999_us", 999);
}

}  // namespace

std::uint64_t LifeLoad::requests_per_day() const {
    const double writes = drive_writes_per_day * static_cast<double>(units);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(writes / (1.0 - reads))));
}

std::uint64_t LifeLoad::hot_units() const {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(hot * static_cast<double>(units))));
}

bool LifeSource::next(Request& request) {
    request.clear();
    if (life_is_over() && !reading_back_) {
        reading_back_ = true;
        next_unit_ = 0;
    }
    if (next_unit_ < load_.units) {
        return make(request, reading_back_ ? Operation::read : Operation::write, next_unit_++);
    }
    if (reading_back_) {
        return false;
    }
    if (burst_left_ == 0) {
        if (now_ < next_day_) {
            return false;
        }
        next_day_ = (now_ / load_.day + 1) * load_.day;
        burst_left_ = load_.requests_per_day();
    }
    --burst_left_;
    if (random_.chance(load_.reads)) {
        return make(request, Operation::read, random_.below(load_.units));
    }
    return make(request, Operation::write, random_.below(load_.hot_units()));
}

void LifeSource::completed(std::uint64_t token, bool ok, Ps now) {
    now_ = now;
    if (token == static_cast<std::uint64_t>(Operation::write)) {
        written_ += ok ? 1 : 0;
        read_only_ |= !ok;
    }
}

std::optional<Ps> LifeSource::wakes_at() const {
    const bool idle = !life_is_over() && next_unit_ == load_.units && burst_left_ == 0;
    return idle ? std::optional(next_day_) : std::nullopt;
}

bool LifeSource::make(Request& request, Operation operation, std::uint64_t unit) const {
    const std::uint64_t sectors = load_.unit_bytes / hal::kSectorBytes;
    request.operation = operation;
    request.token = static_cast<std::uint64_t>(operation);
    request.lba = Lba{unit * sectors};
    request.sectors = sectors;
    return true;
}

DriveFacts facts_of(const platform::Configuration& configuration, Ps day) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const hw::EccConfig& ecc = configuration.nand.ecc;
    constexpr std::uint64_t kBitsPerByte = 8;
    return {configuration.exported_bytes(), geometry.page_bytes, geometry.total_blocks(),
            (std::uint64_t{ecc.codeword_bytes} + ecc.parity_bytes) * kBitsPerByte, day};
}

LifeCounts counts_of(const DeviceTelemetry& telemetry) {
    const NandCounts nand = telemetry.nand_total();
    LifeCounts counts;
    counts.programs = nand.programs;
    counts.erases = nand.erases;
    counts.page_reads = nand.reads;
    counts.retried = count_in(telemetry.hardware, "flash.retries.reads");
    counts.codewords = count_in(telemetry.hardware, "flash.faults.codewords");
    counts.raw_errors = count_in(telemetry.hardware, "flash.faults.raw_bit_errors");
    counts.retired = count_in(telemetry.firmware, "ftl.retired_superblocks");
    counts.moved_weak = count_in(telemetry.firmware, "gc.weak_victims");
    counts.patrolled = count_in(telemetry.firmware, "patrol.superpages");
    return counts;
}

Json sample_of(const LifeWindow& window, const DriveFacts& facts) {
    Json sample = numbers_of(window.before, window.after, window.end, facts);
    add_latencies(window.reads, "read", sample);
    add_latencies(window.writes, "write", sample);
    return sample;
}

Json life_of(const LifeCounts& counts, Ps end, const DriveFacts& facts) {
    return numbers_of({}, counts, end, facts);
}

void LifeRecorder::completed(Command& command) {
    const bool ok = command.status == CommandStatus::ok;
    const bool read = command.operation == Operation::read;
    if (over_) {
        lost_in_read_back_ += read && !ok ? 1 : 0;
        return;
    }
    if (ok) {
        (read ? window_.reads : window_.writes).add(command.completed_at - command.arrival);
        host_bytes_ += read ? 0 : command.sectors * hal::kSectorBytes;
    } else {
        failed_reads_ += read ? 1 : 0;
    }
    over_ = source_.life_is_over();
    const std::uint64_t written = host_bytes_ - window_.before.host_bytes;
    if (written >= window_bytes_ || (over_ && written > 0)) {
        close_window(command.completed_at);
    }
}

void LifeRecorder::close_window(Ps at) {
    window_.after = counts_of(collect_());
    window_.after.host_bytes = host_bytes_;
    window_.after.failed_reads = failed_reads_;
    window_.end = at;
    samples_.push_back(sample_of(window_, facts_));
    window_ = LifeWindow{window_.after, window_.after, at, {}, {}};
}

Json LifeRecorder::to_json() const {
    return {{"samples", samples_},
            {"whole", life_of(window_.before, window_.end, facts_)},
            {"read_only", source_.read_only()},
            {"lost_in_read_back", lost_in_read_back_}};
}

}  // namespace solidtlm::testbench::endurance
