// SPDX-License-Identifier: Apache-2.0
//
// What an SLC cache makes of write speed over the amount written: the burst into the cache, the cliff behind
// it, folding, and what comes back while the host is idle; each beside what data sheets say.
// docs/slc-cache-study.md explains what comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/studies/kit/bursts.h"
#include "testbench/studies/kit/claims.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::slc_cache {

constexpr std::uint32_t kRequestBytes = 131072;
constexpr std::uint32_t kDepth = 32;  ///< requests outstanding

/// What a new drive does by data sheet if dies, channels and link never wait for each other.
struct Bounds {
    double link_mb_per_s = 0.0;
    double slc_mb_per_s = 0.0;      ///< into the cache
    double normal_mb_per_s = 0.0;   ///< past it
    double fold_mb_per_s = 0.0;     ///< folding alone
    double through_mb_per_s = 0.0;  ///< into the cache, where all of it is folded at once
    double cache_bytes = 0.0;
    double fast_bytes = 0.0;     ///< of this, what is filled before folding begins while the host writes
    bool folds_at_once = false;  ///< it does
    double buffer_bytes = 0.0;

    /// As the host sees it: its write buffer takes more than flash until the cliff.
    [[nodiscard]] double before_mb_per_s() const;
    /// The host's writes behind the cliff go past the cache, or, once it is folded all the time, through it.
    [[nodiscard]] double after_mb_per_s() const;
    /// What the host has written when `fast_bytes` are: also what the write buffer has taken by then, or
    /// takes before the host sees that flash has become slower.
    [[nodiscard]] double cliff_bytes() const;
    /// A full cache is folded while the host is idle.
    [[nodiscard]] double fold_seconds() const { return cache_bytes / (fold_mb_per_s * kMb); }
};
/// REQUIRES: the drive has an SLC cache.
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration);

constexpr std::string_view kGiven = "given";  ///< the drive of the command line

/// A drive whose SLC cache was seen from outside.
struct RealDrive {
    std::string name;
    std::string title;
    std::vector<std::string> settings;
    std::uint32_t blocks = 0;  ///< per plane
    std::uint32_t scale = 1;   ///< the model has this part of its blocks and of its cache
    std::string cache;         ///< firmware.slc_cache.mode
    double cache_bytes = 0.0;
    struct Seen {
        double cliff_gb = 0.0;
        double before = 0.0;               ///< MB/s
        std::optional<double> after = {};  ///< MB/s; none: not published
    } published;
    std::string source;
    std::string reason;  ///< why something does not come out
};
/// kGiven, and those of the real drives.
[[nodiscard]] std::vector<std::string> drive_names();
/// Null: there is no such drive.
[[nodiscard]] const RealDrive* find_drive(const std::string& name);
[[nodiscard]] std::string drive_title(const std::string& name);

/// Every combination of these is a point of the given drive. Real drives have a point each, folded while the
/// host is idle, with the first of the pauses.
struct Sweep {
    std::vector<std::string> drives{drive_names()};
    std::vector<std::string> caches{"static", "dynamic"};
    std::vector<std::uint64_t> sizes{128 * hal::kMiB, 512 * hal::kMiB};
    /// idle: while the host is idle, its writes go past a full cache. behind: also while it writes and less
    /// than half of the cache is free. wait: the host waits for it when the cache is full.
    std::vector<std::string> folding{"idle", "behind", "wait"};
    std::vector<double> pauses{0.0, 0.5, 2.0};  ///< in units of Bounds::fold_seconds()
    double written = 2.5;                       ///< of the first burst, in units of the cache
};

/// Throws platform::ConfigurationError with what is impossible about any of them, or InputError where the
/// drive is too small.
[[nodiscard]] std::vector<StudyJob> jobs_of(const Sweep& sweep, const platform::Configuration& base);

/// What was published of real drives (docs/real-drives.md), beside what comes out here.
[[nodiscard]] std::vector<Claim> claims_of(Points points);

[[nodiscard]] std::string tables_of(Points points, const TextStyle& style);
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::slc_cache
