// SPDX-License-Identifier: Apache-2.0
#include "testbench/precondition/ageing.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <vector>

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kFillSectors = 256;  ///< of a command that fills: 128 KiB
constexpr std::uint64_t kDefaultAlignSectors = 8;
constexpr double kLastPart = 0.1;  ///< of the random writes, over which write amplification is measured

/// One range from end to end.
class SequentialSource : public RequestSource {
  public:
    explicit SequentialSource(std::uint64_t sectors) : sectors_(sectors) {}
    bool next(Request& request) override {
        if (next_ == sectors_) {
            return false;
        }
        request.clear();
        request.operation = Operation::write;
        request.lba = Lba{next_};
        request.sectors = std::min(kFillSectors, sectors_ - next_);
        next_ += request.sectors;
        return true;
    }

  private:
    std::uint64_t sectors_;
    std::uint64_t next_ = 0;
};

/// Hands the requests of a source to the device, up to a number of bytes, then one flush.
class Feed : public hw::InstantFeed {
  public:
    Feed(Verifier& verifier, Progress& progress, bool verify)
        : verifier_(verifier), progress_(progress), verify_(verify) {}

    /// What to hand out next: `source` until `bytes` more have been written; `flush`: and a flush.
    void load(RequestSource& source, std::uint64_t bytes, bool flush) {
        source_ = &source;
        limit_ = written_ + bytes;
        flush_ = flush;
    }

    bool next(hal::HostCommand& command) override {
        if (written_ < limit_ && source_->next(request_)) {
            return take(command);
        }
        limit_ = written_;
        command.opcode = hal::HostOpcode::flush;
        return std::exchange(flush_, false);
    }

    void content(const hal::HostCommand& command, std::uint32_t first,
                 std::span<std::byte> sectors) override {
        verifier_.preload(number_, first, Lba{command.lba.value + first}, sectors);
    }

  private:
    bool take(hal::HostCommand& command) {
        constexpr std::uint64_t kCommandsBetweenLooks = 4096;
        if (++number_ % kCommandsBetweenLooks == 0) {
            progress_.update(written_ >> 20U);
        }
        if (request_.operation == Operation::trim) {
            command.opcode = hal::HostOpcode::trim;
            command.ranges = request_.ranges;
            for (const TrimRange& range : request_.ranges) {
                if (verify_) {
                    verifier_.preload_trim(range.lba, range.sectors);
                }
            }
            return true;
        }
        command.opcode = hal::HostOpcode::write;
        command.queued = true;
        command.lba = request_.lba;
        command.sectors = static_cast<std::uint32_t>(request_.sectors);
        written_ += request_.sectors * hal::kSectorBytes;
        return true;
    }

    Verifier& verifier_;
    Progress& progress_;
    bool verify_;
    RequestSource* source_ = nullptr;
    Request request_;
    std::uint64_t written_ = 0;
    std::uint64_t limit_ = 0;
    std::uint64_t number_ = 0;
    bool flush_ = false;
};

/// The filled part: whole mapping units, or all of the device.
std::uint64_t filled_sectors(const platform::Configuration& configuration, double fill) {
    const std::uint64_t capacity = configuration.firmware.exported_sectors;
    const std::uint64_t unit = configuration.firmware.unit_bytes / hal::kSectorBytes;
    return fill >= 1 ? capacity
                     : static_cast<std::uint64_t>(fill * static_cast<double>(capacity)) / unit * unit;
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
    config.seed = preconditioning.seed.value_or(configuration.seed);
    const std::uint64_t places = config.end_sector / config.align_sectors;
    if (config.end_sector * hal::kSectorBytes < bytes || (config.pattern == Pattern::hotcold && places < 2)) {
        throw InputError(fmt::format(
            "--precondition: found random requests of {} bytes in a filled part of {} bytes; allowed: "
            "requests that fit, a larger fill, or random=0",
            bytes, sectors * hal::kSectorBytes));
    }
    return config;
}

}  // namespace

AgeingReport age(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                 ProgressMode progress_mode) {
    const auto begin = std::chrono::steady_clock::now();
    const platform::Configuration& configuration = ssd.configuration();
    const std::uint64_t sectors = filled_sectors(configuration, preconditioning.fill);
    const std::uint64_t filled_bytes = sectors * hal::kSectorBytes;
    const auto random_bytes =
        static_cast<std::uint64_t>(preconditioning.random * static_cast<double>(filled_bytes));
    const auto last_bytes = static_cast<std::uint64_t>(kLastPart * static_cast<double>(random_bytes));
    Progress progress("MiB of ageing", (filled_bytes + random_bytes) >> 20U, progress_mode);
    Feed feed(verifier, progress, configuration.content != hal::ContentMode::none);
    AgeingReport report;
    report.spec = to_text(preconditioning);
    ssd.age([&](hw::InstantHardware& hardware, fw::Firmware& firmware) {
        SequentialSource fill(sectors);
        feed.load(fill, filled_bytes, random_bytes == 0);
        hardware.run(firmware, feed);
        if (random_bytes > 0) {
            const auto random = make_workload(random_part(preconditioning, sectors, configuration));
            feed.load(*random, random_bytes - last_bytes, false);
            hardware.run(firmware, feed);
            const hw::InstantStatistics before = hardware.statistics();
            feed.load(*random, last_bytes, false);
            hardware.run(firmware, feed);
            const hw::InstantStatistics after = hardware.statistics();
            report.last_written_bytes = after.written_bytes - before.written_bytes;
            report.last_programmed_bytes =
                (after.total_programs() - before.total_programs()) * configuration.nand.geometry.page_bytes;
            feed.load(*random, 0, true);
            hardware.run(firmware, feed);
        }
        const hw::InstantStatistics& statistics = hardware.statistics();
        report.host_bytes = statistics.written_bytes;
        report.programs = statistics.total_programs();
        report.erases = statistics.total_erases();
        report.failed = statistics.failed;
    });
    progress.finish();
    report.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

}  // namespace solidtlm::testbench
