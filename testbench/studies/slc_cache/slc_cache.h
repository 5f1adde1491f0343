// SPDX-License-Identifier: Apache-2.0
//
// How an SLC cache affects write speed over the amount written: the burst into the cache, the cliff after it,
// folding, and the speed that returns while the host is idle; each beside the limit from data sheets.
// docs/slc-cache-study.md explains the results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/studies/gallery/drive.h"
#include "testbench/studies/kit/bursts.h"
#include "testbench/studies/kit/claims.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::slc_cache {

/// The writes of the given drive.
constexpr std::uint32_t kRequestBytes = 131072;
constexpr std::uint32_t kDepth = 32;  ///< requests outstanding

/// Limits of a new drive by data sheet, if dies, channels and link never wait for each other.
struct Bounds {
    double link_mb_per_s = 0.0;
    double slc_mb_per_s = 0.0;      ///< writing into the cache
    double normal_mb_per_s = 0.0;   ///< writing past the cache
    double fold_mb_per_s = 0.0;     ///< folding without other work
    double through_mb_per_s = 0.0;  ///< writing into the cache, with everything folded at once
    double cache_bytes = 0.0;
    double fast_bytes = 0.0;     ///< bytes written into the cache before folding begins during writes
    bool folds_at_once = false;  ///< whether it does
    double buffer_bytes = 0.0;

    /// As the host sees it: until the cliff, its write buffer takes data in addition to flash.
    [[nodiscard]] double before_mb_per_s() const;
    /// After the cliff, the host's writes go past the cache or, if it is folded all the time, through it.
    [[nodiscard]] double after_mb_per_s() const;
    /// What the host has written when flash holds `fast_bytes`. This includes the data in the write buffer by
    /// then, and the data that it takes before the host notices that flash has become slower.
    [[nodiscard]] double cliff_bytes() const;
    /// Time to fold a full cache while the host is idle.
    [[nodiscard]] double fold_seconds() const { return cache_bytes / (fold_mb_per_s * kMb); }
};
/// REQUIRES: the drive has an SLC cache.
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration);

/// Bytes rounded up to whole requests.
[[nodiscard]] std::uint64_t whole_requests(double bytes, std::uint32_t request_bytes = kRequestBytes);
/// A pause in units of Bounds::fold_seconds().
[[nodiscard]] Ps pause_of(const Bounds& bounds, double times);

constexpr std::string_view kGiven = "given";  ///< the drive of the command line

/// What a burst of writes tells, as the gallery names it.
struct Seen {
    const char* metric;
    const char* what;
};
constexpr std::array<Seen, 3> kSeen{{{"cliff_gb", "GB written until its speed falls"},
                                     {"before_mb_per_s", "MB/s before"},
                                     {"behind_mb_per_s", "MB/s behind it"}}};

/// A drive of the gallery, and the test in which the size of its SLC cache was seen.
struct RealDrive {
    gallery::Drive drive;
    gallery::Campaign campaign;
    gallery::Test test;

    /// None: not published.
    [[nodiscard]] std::optional<double> published(std::string_view metric) const;
    [[nodiscard]] bool fitted(const std::string& metric) const;
};
/// kGiven, and the names of the real drives.
[[nodiscard]] std::vector<std::string> drive_names();
/// Null if there is no such drive.
[[nodiscard]] const RealDrive* find_drive(const std::string& name);
[[nodiscard]] std::string drive_title(const std::string& name);

/// Every combination of these is a point of the given drive, unless nothing is folded and it differs only in
/// how. Each way of copying has one more, with bit errors, in which the first of the caches is folded and
/// then read (`reads` = true). A real drive has one point, with writes as in its test, folding while the host
/// is idle and the first of the pauses.
struct Sweep {
    std::vector<std::string> drives{drive_names()};
    std::vector<std::string> caches{"static", "dynamic"};
    std::vector<std::uint64_t> sizes{128 * hal::kMiB, 512 * hal::kMiB};
    /// idle: folds while the host is idle; its writes go past a full cache. behind: also folds during writes
    /// if less than half of the cache is free. wait: the host waits for folding if the cache is full.
    std::vector<std::string> folding{"idle", "behind", "wait"};
    /// How data leaves the cache. controller: over the bus and through ECC; die:
    /// firmware.slc_cache.copy_back.
    std::vector<std::string> copying{"controller", "die"};
    std::vector<double> pauses{0.0, 0.5, 2.0};  ///< in units of Bounds::fold_seconds()
    double written = 2.5;                       ///< size of the first burst, in units of the cache
};

/// The values of Sweep::copying that suit a drive: all that it can do, or die alone if that is configured.
[[nodiscard]] std::vector<std::string> copying_of(const platform::Configuration& configuration);

/// Throws platform::ConfigurationError with all impossible combinations, or InputError if the drive is too
/// small.
[[nodiscard]] std::vector<StudyJob> jobs_of(const Sweep& sweep, const platform::Configuration& base);

/// The points with `reads`.
void add_error_jobs(std::vector<StudyJob>& jobs, const Sweep& sweep, const platform::Configuration& base);

/// Settings of a point of the given drive, whose parameters are `at`.
[[nodiscard]] platform::Configuration drive_of(const Json& at, const platform::Configuration& base);

/// Published speeds of real drives (docs/real-drives.md) beside the measured ones, without those that a value
/// of the drive was fitted to.
[[nodiscard]] std::vector<Claim> claims_of(Points points);
/// All that is published of their caches, beside the measured values; empty without real drives.
[[nodiscard]] std::string real_drives_table(Points points, const TextStyle& style);

[[nodiscard]] std::string tables_of(Points points, const TextStyle& style);
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::slc_cache
