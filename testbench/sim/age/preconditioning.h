// SPDX-License-Identifier: Apache-2.0
//
// How a drive is aged before the simulation starts: filled sequentially, then overwritten at random.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {

constexpr std::string_view kReads = "reads";  ///< where_read, as text
constexpr std::uint64_t kDefaultCacheBytes = 8ULL << 30U;

/// Random writes of `jobs` threads, which take turns. The n-th thread of every test writes the same places in
/// the same order, as fio's do (randrepeat, its default).
struct RepeatedTest {
    std::uint64_t jobs = 1;
    double writes = 0;  ///< this many times the filled part, of all threads together
};

struct Preconditioning {
    bool where_read = false;              ///< `reads` are written first, in ascending order, and not `fill`
    std::vector<SectorRange> reads = {};  ///< where the load will read (RequestSource::reads())
    double fill = 1;                      ///< fraction of the exported capacity that is written first, 0-1
    double random = 2;                    ///< then this many times the filled part, at random places of it
    std::uint64_t size_bytes = 0;         ///< size of a random request; 0: the mapping unit
    double trim = 0;                      ///< share of the random requests that are trims
    std::string pattern = "random";       ///< pattern of the random requests; not sequential
    double theta = 0.99;                  ///< zipf
    double hot_space = 0.2;               ///< hotcold
    double hot_access = 0.8;              ///< hotcold
    std::vector<RepeatedTest> repeat;     ///< then these tests, one after another
    double read = 0;                      ///< then the filled part is read this many times, in order
    std::optional<std::uint64_t> seed;    ///< the configuration's if not given
    std::filesystem::path cache = {};  ///< where aged drives are kept (sim/save/age_cache.h); empty: nowhere
    bool laid_down = true;             ///< as much of the fill as can be (bulk_fill.h); false: for tests
    std::uint64_t cache_bytes = kDefaultCacheBytes;  ///< most bytes in `cache`
};

/// Reads "fill=1,random=2,seed=1": keys in any order, all optional (see preconditioning_help()); an empty
/// text gives the defaults. Or a name: "reads" (where_read), "none" (nothing is written). Throws InputError
/// that lists all mistakes: key, value, what is allowed, the nearest known key.
[[nodiscard]] Preconditioning parse_preconditioning(std::string_view spec);

/// What is done where nothing else is asked for: only what the load will read is written.
[[nodiscard]] Preconditioning where_read(const RequestSource& load);

/// The text that parse_preconditioning() reads back, without values that the configuration decides.
[[nodiscard]] std::string to_text(const Preconditioning& preconditioning);

/// One line per key, for --help.
[[nodiscard]] std::string preconditioning_help();

}  // namespace solidtlm::testbench
