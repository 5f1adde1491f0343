// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/ageing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "hw/tlm/content.h"
#include "testbench/sim/age/bulk_fill.h"
#include "testbench/sim/age/repeated_tests.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSequentialSectors = 256;  ///< size of a sequential write or read: 128 KiB
constexpr std::uint64_t kDefaultAlignSectors = 8;
/// share of the random writes, at their end, over which write amplification is measured
constexpr double kLastPart = 0.1;

/// Turns requests into commands. The verifier learns what they write and checks what they read.
class Feed : public hw::UntimedFeed {
  public:
    Feed(Verifier& verifier, bool verify) : verifier_(verifier), verify_(verify) {}

    void content(const hal::HostCommand& command, std::uint32_t first,
                 std::span<std::byte> sectors) override {
        verifier_.preload(number_, first, Lba{command.lba.value + first}, sectors);
    }
    void received(const hal::HostCommand& command, std::uint32_t first,
                  std::span<const std::byte> sectors) override {
        verifier_.check(Lba{command.lba.value + first}, sectors);
    }

  protected:
    /// The first ones are carried out already.
    void skip(std::uint64_t commands) { number_ = commands; }
    void transfer(hal::HostCommand& command, hal::HostOpcode opcode, Lba lba, std::uint64_t sectors) {
        ++number_;
        command.opcode = opcode;
        command.lba = lba;
        command.sectors = static_cast<std::uint32_t>(sectors);
    }
    /// Prefetches the verifier's entry for `lba`, because a write to it follows soon.
    void expect(Lba lba) const {
        if (verify_) {
            verifier_.prefetch(lba);
        }
    }
    /// Issues one flush; false if it was issued already.
    bool flush(hal::HostCommand& command) {
        command.opcode = hal::HostOpcode::flush;
        return !std::exchange(flushed_, true);
    }
    /// `request` must stay valid until the next call.
    void take(const Request& request, hal::HostCommand& command) {
        switch (request.operation) {
            case Operation::read:
                return transfer(command, hal::HostOpcode::read, request.lba, request.sectors);
            case Operation::write:
                return transfer(command, hal::HostOpcode::write, request.lba, request.sectors);
            case Operation::flush:
                command.opcode = hal::HostOpcode::flush;
                return;
            case Operation::trim:
                break;
        }
        command.opcode = hal::HostOpcode::trim;
        command.ranges = request.ranges;
        for (const TrimRange& range : request.ranges) {
            if (verify_) {
                verifier_.preload_trim(range.lba, range.sectors);
            }
        }
    }

  private:
    Verifier& verifier_;
    bool verify_;
    std::uint64_t number_ = 0;  ///< number of the command
    bool flushed_ = false;
};

/// First the filled ranges from end to end, then the random requests and the repeated tests, one flush, and
/// reads of the filled part from end to end.
class AgeingFeed : public Feed {
  public:
    AgeingFeed(Verifier& verifier, bool verify, Progress& progress, std::vector<SectorRange> filled)
        : Feed(verifier, verify), progress_(progress), filled_(std::move(filled)) {}

    /// The first range begins with writes that are not to be carried out any more.
    void begin_after(std::uint64_t commands) {
        skip(commands);
        done_ = commands * kSequentialSectors;
    }
    /// After the filled part, takes requests from `source` until `bytes` have been written; the last `last`
    /// bytes are measured.
    void then(RequestSource& source, std::uint64_t bytes, std::uint64_t last) {
        source_ = &source;
        drawn_ = source.next(requests_[0]);
        random_bytes_ = bytes;
        last_bytes_ = last;
    }
    /// After those.
    void then_all_of(RequestSource& source) { repeated_ = &source; }
    /// At the end, this many sectors are read. REQUIRES: one range is filled, from LBA 0.
    void read_back(std::uint64_t sectors) { read_sectors_ = sectors; }

    bool next(hal::HostCommand& command, const hw::UntimedStatistics& so_far) override {
        constexpr std::uint64_t kCommandsBetweenLooks = 4096;
        if (so_far.commands % kCommandsBetweenLooks == 0) {
            progress_.update((so_far.written_bytes + read_ * hal::kSectorBytes) >> 20U);
        }
        if (range_ < filled_.size()) {
            const SectorRange& range = filled_[range_];
            const std::uint64_t sectors = std::min(kSequentialSectors, range.sectors - done_);
            transfer(command, hal::HostOpcode::write, Lba{range.first.value + done_}, sectors);
            done_ += sectors;
            if (done_ == range.sectors) {
                ++range_;
                done_ = 0;
            }
            return true;
        }
        if (written_ < random_bytes_ && drawn_) {
            if (written_ >= random_bytes_ - last_bytes_ && !before_last_) {
                before_last_ = so_far;
            }
            const Request& request = draw();
            take(request, command);
            if (request.operation == Operation::write) {
                written_ += request.sectors * hal::kSectorBytes;
            }
            return true;
        }
        if (!at_end_) {
            at_end_ = so_far;
        }
        if (repeated_ != nullptr && repeated_->next(repeated_request_)) {
            take(repeated_request_, command);
            return true;
        }
        if (flush(command)) {
            return true;
        }
        if (read_ == read_sectors_) {
            return false;
        }
        const std::uint64_t lba = read_ % filled_.front().sectors;
        const std::uint64_t sectors =
            std::min({kSequentialSectors, filled_.front().sectors - lba, read_sectors_ - read_});
        transfer(command, hal::HostOpcode::read, Lba{lba}, sectors);
        read_ += sectors;
        return true;
    }

    /// Before and after the last part of the random writes; none when there were none.
    [[nodiscard]] const std::optional<hw::UntimedStatistics>& before_last() const { return before_last_; }
    /// After them. REQUIRES: the feed has been carried out.
    [[nodiscard]] const hw::UntimedStatistics& at_end() const {
        SOLIDTLM_CHECK(at_end_.has_value(), "the ageing has come to the end of its random writes");
        return *at_end_;
    }

  private:
    /// Returns the request drawn before and draws the one after it, so that the verifier's data about that
    /// one can be prefetched.
    const Request& draw() {
        const Request& request = requests_[now_];
        now_ = 1 - now_;
        drawn_ = source_->next(requests_[now_]);
        expect(requests_[now_].lba);
        return request;
    }

    Progress& progress_;
    std::vector<SectorRange> filled_;
    std::size_t range_ = 0;   ///< of filled_, being written
    std::uint64_t done_ = 0;  ///< sectors of it
    RequestSource* source_ = nullptr;
    std::array<Request, 2> requests_;  ///< the one that is carried out, and the next
    std::size_t now_ = 0;
    bool drawn_ = false;  ///< requests_[now_]
    RequestSource* repeated_ = nullptr;
    Request repeated_request_;
    std::uint64_t random_bytes_ = 0;
    std::uint64_t last_bytes_ = 0;
    std::uint64_t written_ = 0;  ///< by random writes
    std::uint64_t read_sectors_ = 0;
    std::uint64_t read_ = 0;
    std::optional<hw::UntimedStatistics> before_last_;
    std::optional<hw::UntimedStatistics> at_end_;
};

/// All requests of a source, then one flush.
class SourceFeed : public Feed {
  public:
    SourceFeed(Verifier& verifier, bool verify, RequestSource& source)
        : Feed(verifier, verify), source_(source) {}
    bool next(hal::HostCommand& command, const hw::UntimedStatistics& /*so_far*/) override {
        if (!source_.next(request_)) {
            return flush(command);
        }
        take(request_, command);
        return true;
    }

  private:
    RequestSource& source_;
    Request request_;
};

/// What is filled: whole mapping units, or up to the end of the device.
std::vector<SectorRange> filled_ranges(const platform::Configuration& configuration,
                                       const Preconditioning& preconditioning) {
    const std::uint64_t capacity = configuration.firmware.exported_sectors;
    const std::uint64_t unit = configuration.firmware.unit_bytes / hal::kSectorBytes;
    std::vector<SectorRange> ranges;
    const auto add = [&](std::uint64_t first, std::uint64_t end) {
        if (!ranges.empty() && first <= ranges.back().first.value + ranges.back().sectors) {
            ranges.back().sectors = end - ranges.back().first.value;
        } else if (first < end) {
            ranges.push_back({Lba{first}, end - first});
        }
    };
    if (!preconditioning.where_read) {
        const double fill = preconditioning.fill;
        add(0, fill >= 1 ? capacity
                         : static_cast<std::uint64_t>(fill * static_cast<double>(capacity)) / unit * unit);
        return ranges;
    }
    for (const SectorRange& read : preconditioning.reads) {
        const std::uint64_t end = (read.first.value + read.sectors + unit - 1) / unit * unit;
        add(read.first.value / unit * unit, std::min(end, capacity));
    }
    return ranges;
}

WorkloadConfig random_part(const Preconditioning& preconditioning, std::uint64_t sectors,
                           const platform::Configuration& configuration) {
    WorkloadConfig config;
    config.pattern = preconditioning.pattern;
    config.theta = preconditioning.theta;
    config.hot_space = preconditioning.hot_space;
    config.hot_access = preconditioning.hot_access;
    config.read_share = 0;
    config.trim_share = preconditioning.trim;
    const std::uint64_t bytes =
        preconditioning.size_bytes != 0 ? preconditioning.size_bytes : configuration.firmware.unit_bytes;
    config.sizes = {{bytes / hal::kSectorBytes, 1}};
    config.trim_sizes = config.sizes;
    config.align_sectors = std::min(kDefaultAlignSectors, bytes / hal::kSectorBytes);
    config.end_sector = sectors / config.align_sectors * config.align_sectors;
    config.seed = workload_seed(preconditioning.seed.value_or(configuration.seed));
    const std::uint64_t places = config.end_sector / config.align_sectors;
    if (config.end_sector * hal::kSectorBytes < bytes || (config.pattern == "hotcold" && places < 2)) {
        throw InputError(fmt::format(
            "--precondition: found random requests of {} bytes in a filled part of {} bytes; allowed: "
            "requests that fit, a larger fill, or random=0",
            bytes, sectors * hal::kSectorBytes));
    }
    return config;
}

/// Random writes of a mapping unit over the filled part, as a workload with the same seed has them.
RepeatedTests repeated_part(const Preconditioning& preconditioning, std::uint64_t sectors,
                            const platform::Configuration& configuration) {
    Preconditioning plain;
    plain.size_bytes = preconditioning.size_bytes;
    WorkloadConfig load = random_part(plain, sectors, configuration);
    load.seed = preconditioning.seed.value_or(configuration.seed);
    const auto places = static_cast<double>(sectors) / static_cast<double>(load.sizes.front().sectors);
    std::vector<RepeatedTests::Test> tests;
    for (const RepeatedTest& test : preconditioning.repeat) {
        tests.push_back({test.jobs, static_cast<std::uint64_t>(std::llround(test.writes * places))});
    }
    return {load, std::move(tests)};
}

}  // namespace

std::uint64_t workload_seed(std::uint64_t seed) {
    return hw::split_mix64(seed);
}

std::string start_text(const AgeingReport& report) {
    const bool where_read = report.spec == kReads;
    if (report.host_bytes == 0) {
        return where_read ? "empty, and the load reads nothing that it has not written" : "empty";
    }
    const std::string written = fmt::format("{:.0f} MB", static_cast<double>(report.host_bytes) / 1e6);
    if (where_read) {
        return "filled where the load reads, " + written;
    }
    std::string text = fmt::format("aged, {}: {}", report.spec, written);
    if (report.last_written_bytes > 0) {
        text +=
            fmt::format(", write amplification {:.3f}", static_cast<double>(report.last_programmed_bytes) /
                                                            static_cast<double>(report.last_written_bytes));
    }
    return text;
}

AgeingReport age(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                 ProgressMode progress_mode) {
    SOLIDTLM_CHECK(!sc_core::sc_start_of_simulation_invoked(), "a drive is aged before it runs");
    const auto begin = std::chrono::steady_clock::now();
    const platform::Configuration& configuration = ssd.configuration();
    std::vector<SectorRange> filled = filled_ranges(configuration, preconditioning);
    std::uint64_t sectors = 0;
    for (const SectorRange& range : filled) {
        sectors += range.sectors;
    }
    const std::uint64_t filled_bytes = sectors * hal::kSectorBytes;
    const auto random_bytes =
        static_cast<std::uint64_t>(preconditioning.random * static_cast<double>(filled_bytes));
    const auto last_bytes = static_cast<std::uint64_t>(kLastPart * static_cast<double>(random_bytes));
    const auto read_bytes =
        static_cast<std::uint64_t>(preconditioning.read * static_cast<double>(filled_bytes));
    double repeated = 0.0;
    for (const RepeatedTest& test : preconditioning.repeat) {
        repeated += test.writes * static_cast<double>(filled_bytes);
    }
    Progress progress(
        "MiB of ageing",
        (filled_bytes + random_bytes + static_cast<std::uint64_t>(repeated) + read_bytes) >> 20U,
        progress_mode);
    std::optional<BulkFill> bulk;
    if (preconditioning.laid_down && !filled.empty() && filled.front().first.value == 0 &&
        !why_not_filled_in_bulk(configuration, kSequentialSectors)) {
        bulk.emplace(configuration, verifier, filled.front().sectors, kSequentialSectors);
    }
    AgeingFeed feed(verifier, configuration.content != hal::ContentMode::none, progress, std::move(filled));
    if (bulk) {
        feed.begin_after(bulk->commands());
    }
    std::unique_ptr<RequestSource> random;
    if (random_bytes > 0) {
        random = make_workload(random_part(preconditioning, sectors, configuration));
        feed.then(*random, random_bytes, last_bytes);
    }
    std::optional<RepeatedTests> repeated_tests;
    if (!preconditioning.repeat.empty() && filled_bytes > 0) {
        feed.then_all_of(repeated_tests.emplace(repeated_part(preconditioning, sectors, configuration)));
    }
    feed.read_back(read_bytes / hal::kSectorBytes);
    const hw::UntimedStatistics done = ssd.age(feed, bulk ? &*bulk : nullptr);
    AgeingReport report;
    report.spec = to_text(preconditioning);
    report.host_bytes = done.written_bytes;
    report.programs = done.total_programs();
    if (bulk) {
        report.host_bytes += bulk->commands() * kSequentialSectors * hal::kSectorBytes;
        report.programs += bulk->pages();
    }
    report.erases = done.total_erases();
    report.failed = done.failed;
    if (const auto& before = feed.before_last()) {
        report.last_written_bytes = feed.at_end().written_bytes - before->written_bytes;
        report.last_programmed_bytes = (feed.at_end().total_programs() - before->total_programs()) *
                                       configuration.nand.geometry.page_bytes;
    }
    report.text = start_text(report);
    progress.finish();
    report.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

std::uint64_t carry_out(platform::Ssd& ssd, RequestSource& requests, Verifier& verifier) {
    SourceFeed feed(verifier, ssd.configuration().content != hal::ContentMode::none, requests);
    return ssd.age(feed).failed;
}

}  // namespace solidtlm::testbench
