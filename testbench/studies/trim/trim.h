// SPDX-License-Identifier: Apache-2.0
//
// The costs of TRIM: in the drive by the shape of its ranges, on a file system by the way of sending, for
// other requests while it runs, and the write amplification that it saves. docs/trim.md explains the results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/random.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::trim {

/// Commands of one shape trim a region that was written before, each place once.
struct Shape {
    std::uint64_t bytes = 16384;  ///< bytes per range, a multiple of 512
    std::uint32_t ranges = 1;     ///< ranges per command, 1-64
    /// each range begins where the previous one ends; otherwise ranges are anywhere in the region
    bool contiguous = false;
    bool aligned = true;  ///< ranges begin at multiples of their size
    /// Unaligned ranges begin at odd multiples of this, drawn at random: with one sector, never at the
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

/// Commands that trim at most `most` ranges and 256 MiB, but at least one command. Nothing if not even one
/// fits, or if ranges of one grain are to be unaligned. Scattered ranges keep a distance: each has twice its
/// size as space.
[[nodiscard]] std::optional<ShapePlan> plan_shape(const Shape& shape, std::uint64_t region_bytes,
                                                  std::uint64_t most);

/// The commands of a plan. Shapes that differ only in `ranges` trim the same ranges in the same order.
class ShapeSource : public RequestSource {
  public:
    ShapeSource(const ShapePlan& plan, std::uint64_t seed);
    bool next(Request& request) override;

  private:
    /// First sector of range `index`.
    std::uint64_t place(std::uint64_t index);

    ShapePlan plan_;
    Random random_;
    std::uint64_t sectors_;             // sectors per range
    std::uint64_t shift_ = 0;           // shift of all contiguous ranges
    std::vector<std::uint32_t> slots_;  // for scattered ranges: places in the order of use
    std::uint64_t done_ = 0;            // ranges done
};

/// How the host sends the ranges that it frees.
enum class Sending : std::uint8_t {
    none,
    one_a_command,  ///< not queued
    batched,        ///< 64 ranges per command, not queued
    queued          ///< one range per command, queued
};
constexpr std::array<std::string_view, 4> kSendingNames{"none", "per_extent", "batched", "queued"};

/// Measures how long other requests wait while a host frees space: random reads of 4 KiB in the first half of
/// a region, and TRIMs of 16 KiB in the second half, each place once, until all are trimmed. A TRIM arrives
/// together with the read before it.
class MixedSource : public RequestSource {
  public:
    static constexpr std::uint64_t kRangeBytes = 16384;
    static constexpr std::uint64_t kReadBytes = 4096;
    static constexpr std::uint64_t kReadsPerRange = 16;
    static constexpr std::uint32_t kRangesPerCommand = 64;

    struct Load {
        std::uint64_t region_bytes = 0;
        std::uint64_t reads = 0;
        Ps interval{0};  ///< mean time between two reads, exponentially distributed
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

/// A drive with one kind of map.
struct Device {
    std::string drive;    ///< name of its preset
    std::string mapping;  ///< page, cached or hybrid
    std::string partial;  ///< sectors of a partly trimmed unit: zeroed (RZAT) or kept
    platform::Configuration configuration;

    [[nodiscard]] std::string name() const {
        return drive + ", " + mapping + (partial == "kept" ? ", kept" : "");
    }
};

/// Values of the dimensions.
struct DeviceLists {
    /// "given" for the drive of the command line; otherwise the name of a preset
    std::vector<std::string> drives;
    std::vector<std::string> mappings;
    std::vector<std::string> partials;
};

/// Each combination, ordered by drive; a preset that is the given drive is left out. Keeping sectors is only
/// combined with map `page`, because its effect does not depend on the map. Throws
/// platform::ConfigurationError.
[[nodiscard]] std::vector<Device> devices_of(const platform::Configuration& given, const DeviceLists& lists);

// The runs. Their parameter `part` is the kind: ranges, filesystem, latency or ageing. docs/trim.md explains
// Point::derived.

/// One TRIM at a time on an idle drive whose region was written.
[[nodiscard]] StudyJob ranges_job(const Device& device, const ShapePlan& plan);

/// A benchmark on a file system. `spec` is in the form of --workload, without discard. Throws InputError.
[[nodiscard]] StudyJob filesystem_job(const Device& device, const std::string& spec,
                                      const std::string& discard);

/// Reads with TRIMs among them.
[[nodiscard]] StudyJob latency_job(const Device& device, Sending sending, const MixedSource::Load& load);

/// Random one-unit writes to a filled drive; a share of the requests are one-unit TRIMs. The last tenth is
/// measured. The drive is so small that its wear soon reaches a steady state: one die on each of two
/// channels, 64 superblocks each.
struct Churn {
    double trim_share = 0;
    double rounds = 3;  ///< how often the capacity is written
};
[[nodiscard]] StudyJob ageing_job(const Device& device, const Churn& churn);

/// The claims of study D (docs/trim.md says how each verdict is reached).
[[nodiscard]] std::vector<Claim> claims_of(Points points);

constexpr std::uint64_t kStudyRangeBytes = 16384;  ///< bytes per range in commands with 1 to 64 ranges
constexpr std::uint32_t kStudyRanges = 64;

/// The ranges part of D5: the same 64 ranges in 64 commands and in one.
struct Batching {
    const Measured* single = nullptr;
    const Measured* batched = nullptr;
    /// Share of the time of 64 commands that one command saves, from 0 to 1.
    [[nodiscard]] double saved() const {
        return 1.0 - batched->value("command_us") / (kStudyRanges * single->value("command_us"));
    }
};
/// Scattered, aligned ranges with the page map, for each drive that has both points.
[[nodiscard]] std::vector<Batching> batchings(Points points);

/// Tables of the measurements, each part under a heading.
[[nodiscard]] std::string tables_of(Points points, const TextStyle& style);
/// Figures of the published slides, and where the time went, if these were measured.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::trim
