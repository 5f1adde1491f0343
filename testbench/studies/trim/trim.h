// SPDX-License-Identifier: Apache-2.0
//
// What a TRIM costs: in the drive by the shape of its ranges, on a file system by the way in which it is
// sent, to others while it runs, and what it saves in write amplification. docs/trim.md explains what comes
// out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/host/request.h"
#include "testbench/studies/kit/study.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::trim {

/// The commands of one shape trim a region that was written before, each place once.
struct Shape {
    std::uint64_t bytes = 16384;  ///< of a range, a multiple of 512
    std::uint32_t ranges = 1;     ///< of a command, 1-64
    bool contiguous = false;  ///< each range begins where the one before it ends; else anywhere in the region
    bool aligned = true;      ///< ranges begin at multiples of their size
    /// Ranges that are not aligned begin at odd multiples of it, drawn at random: with a sector never at the
    /// beginning of a mapping unit.
    std::uint64_t grain_bytes = 512;

    [[nodiscard]] std::string name() const;
    bool operator==(const Shape&) const = default;
};

struct ShapePlan {
    Shape shape;
    std::uint64_t region_bytes = 0;  ///< addresses from 0
    std::uint64_t commands = 0;
};

/// Commands that trim `most` ranges and 256 MiB at most, but one at least; none if not even one fits, or if
/// ranges of one grain should not be aligned. Scattered ranges keep a distance: each has twice its size for
/// itself.
[[nodiscard]] std::optional<ShapePlan> plan_shape(const Shape& shape, std::uint64_t region_bytes,
                                                  std::uint64_t most);

/// The commands of a plan. Shapes that differ in `ranges` alone trim the same ranges in the same order.
class ShapeSource : public RequestSource {
  public:
    ShapeSource(const ShapePlan& plan, std::uint64_t seed);
    bool next(Request& request) override;

  private:
    /// First sector of the range number `index`.
    std::uint64_t place(std::uint64_t index);

    ShapePlan plan_;
    Random random_;
    std::uint64_t sectors_;             // of a range
    std::uint64_t shift_ = 0;           // of all contiguous ranges
    std::vector<std::uint32_t> slots_;  // scattered: places in the order of use
    std::uint64_t done_ = 0;            // ranges
};

/// How the ranges that a host frees are sent.
enum class Sending : std::uint8_t {
    none,
    one_a_command,  ///< not queued
    batched,        ///< 64 ranges per command, not queued
    queued          ///< one range per command, queued
};
constexpr std::array<std::string_view, 4> kSendingNames{"none", "per_extent", "batched", "queued"};

/// Measures what other requests wait for while a host frees space: random reads of 4 KiB in the first half of
/// a region, and TRIMs of 16 KiB in the second half, each place once, until all are trimmed. A TRIM arrives
/// with the read before it.
class MixedSource : public RequestSource {
  public:
    static constexpr std::uint64_t kRangeBytes = 16384;
    static constexpr std::uint64_t kReadBytes = 4096;
    static constexpr std::uint64_t kReadsPerRange = 16;
    static constexpr std::uint32_t kRangesPerCommand = 64;

    struct Load {
        std::uint64_t region_bytes = 0;
        std::uint64_t reads = 0;
        Ps interval{0};  ///< mean time between the arrivals of two reads, exponentially distributed
    };
    MixedSource(Sending sending, const Load& load, std::uint64_t seed)
        : sending_(sending), load_(load), half_bytes_(load.region_bytes / 2), random_(seed) {}

    bool next(Request& request) override;

  private:
    Sending sending_;
    Load load_;
    std::uint64_t half_bytes_;
    Random random_;
    std::uint64_t read_ = 0;
    double now_ps_ = 0.0;
    std::uint64_t freed_ = 0;  // ranges sent
};

/// A drive with a kind of map.
struct Device {
    std::string drive;    ///< name of its preset
    std::string mapping;  ///< page, cached or hybrid
    std::string partial;  ///< sectors of a unit trimmed in part: zeroed (RZAT) or kept
    platform::Configuration configuration;

    [[nodiscard]] std::string name() const {
        return drive + ", " + mapping + (partial == "kept" ? ", kept" : "");
    }
};

/// Values of the dimensions.
struct DeviceLists {
    std::vector<std::string> drives;  ///< given: the one of the command line; else the name of a preset
    std::vector<std::string> mappings;
    std::vector<std::string> partials;
};

/// Each combination, drives first; a preset that is the given drive is left out. Sectors are kept only where
/// the map is `page`: it changes nothing for one map that it does not for another. Throws
/// platform::ConfigurationError.
[[nodiscard]] std::vector<Device> devices_of(const platform::Configuration& given, const DeviceLists& lists);

// The runs; their parameter `part` says which kind they are: ranges, filesystem, latency or ageing.
// docs/trim.md explains Point::derived.

/// One TRIM at a time on an idle drive whose region was written.
[[nodiscard]] StudyJob ranges_job(const Device& device, const ShapePlan& plan);

/// A benchmark on a file system. `spec` as in --workload, without discard. Throws InputError.
[[nodiscard]] StudyJob filesystem_job(const Device& device, const std::string& spec,
                                      const std::string& discard);

/// Reads with TRIMs among them.
[[nodiscard]] StudyJob latency_job(const Device& device, Sending sending, const MixedSource::Load& load);

/// Writes of a unit at random to a drive that was filled, a share of the requests being TRIMs of a unit; the
/// last tenth is measured. The drive is made so small that it is soon as worn as it will be: one die on each
/// of two channels, 64 superblocks each.
struct Churn {
    double trim_share = 0;
    double rounds = 3;  ///< times the capacity that is written
};
[[nodiscard]] StudyJob ageing_job(const Device& device, const Churn& churn);

/// The claims of study D (docs/trim.md says how each verdict is reached).
[[nodiscard]] std::vector<Claim> claims_of(Points points);

constexpr std::uint64_t kStudyRangeBytes = 16384;  ///< of the commands with 1 to 64 ranges
constexpr std::uint32_t kStudyRanges = 64;

/// The ranges part of D5: the same 64 ranges in 64 commands and in one.
struct Batching {
    const Measured* single = nullptr;
    const Measured* batched = nullptr;
    /// Of the time of 64 commands, what one saves; 0 to 1.
    [[nodiscard]] double saved() const {
        return 1.0 - batched->value("command_us") / (kStudyRanges * single->value("command_us"));
    }
};
/// Scattered, aligned ranges of the page map of each drive that has both points.
[[nodiscard]] std::vector<Batching> batchings(Points points);

/// Tables of what was measured, each part under a heading.
[[nodiscard]] std::string tables_of(Points points, const TextStyle& style);
/// Those of the published slides, and where the time went, as far as something was measured for them.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::trim
