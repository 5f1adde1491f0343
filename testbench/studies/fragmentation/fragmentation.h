// SPDX-License-Identifier: Apache-2.0
//
// What happens to blocks that hybrid mapping writes in place if striping spreads every write over all of them
// (Ha et al. 2011): translation layers, striped or not, with or without the rule that the pages of a NAND
// block are programmed in ascending order, on the study's workloads. docs/fragmentation.md explains tables
// and claims.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/spec/spec.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::fragmentation {

/// Every layer of firmware.translation, page mapping and the study's hybrid first.
[[nodiscard]] const std::vector<std::string>& layer_names();

struct System {
    std::string layer;     ///< value of firmware.translation
    std::string striping;  ///< value of firmware.allocation.striping: full or none
    bool rule = true;      ///< nand.rules.sequential_pages; the study's `wasted`, false is its `no_wasted`

    [[nodiscard]] std::string name() const;
};

/// Every combination is a system, except page mapping without the rule, because it always writes in ascending
/// order.
struct Sweep {
    std::vector<std::string> layers = layer_names();
    std::vector<std::string> striping{"full", "none"};
    std::vector<std::string> rules{"on", "off"};
    double scale = 1.0;               ///< factor for the drive and the log; above 0, at most 1
    double drive = 1.0;               ///< factor for the drive alone, on top of `scale`
    std::uint32_t log_blocks = 2048;  ///< NAND blocks of the log on the whole drive
};

struct SystemPoint {
    System system;
    platform::Configuration configuration;
};

/// Number of NAND blocks in one block of the block-mapped layers, which are merged and erased together.
[[nodiscard]] std::uint32_t columns_of(const platform::Configuration& configuration);

/// The drive of `base` times `scale` and `drive`: blocks, capacity and the threshold of garbage collection.
/// `log_blocks` NAND blocks become whole blocks of the layer. mtbs leaves half of each block empty, so its
/// drive has twice the blocks for the same capacity. Throws platform::ConfigurationError.
[[nodiscard]] SystemPoint system_point(const System& system, const Sweep& sweep,
                                       const platform::Configuration& base);
/// All systems. Throws platform::ConfigurationError with all impossible combinations, each mistake once.
[[nodiscard]] std::vector<SystemPoint> systems_of(const Sweep& sweep, const platform::Configuration& base);

// Page mapping that fills an empty drive: page after page in stripe order or, without striping, one block
// after another. Nothing is collected; at most all pages are programmed.

/// NAND blocks that `pages` programmed pages occupy, including those that are still being filled.
[[nodiscard]] std::uint64_t page_fill_blocks(std::uint64_t pages,
                                             const platform::Configuration& configuration);
/// In percent; 0 for no pages.
[[nodiscard]] double page_fill_utilisation(std::uint64_t pages, const platform::Configuration& configuration);

// The load of a drive: one of the study's two workloads, any other workload, or a trace.

constexpr const char* kIozone = "iozone";
constexpr const char* kPcApplication = "pc_application";

/// Table 1 and figure 5 of the study.
struct Profile {
    static constexpr std::size_t kTimes = 48;   ///< equal parts of the requests
    static constexpr std::size_t kPlaces = 24;  ///< equal parts of the addresses

    std::uint64_t requests = 0;  ///< number of reads and writes
    std::uint64_t bytes = 0;     ///< bytes of these
    std::uint64_t written_bytes = 0;
    std::uint64_t pages_written = 0;  ///< mapping units touched by writes, counting each touch
    /// MiB read or written, by place and time.
    std::vector<std::vector<double>> pattern =
        std::vector<std::vector<double>>(kPlaces, std::vector<double>(kTimes));

    [[nodiscard]] double mean_kib() const;
};

struct Load {
    std::string name;      ///< unique within a study
    RunSpec run;           ///< has one trace or one workload
    Profile profile = {};  ///< filled in by profile_of()
};

/// The loads `names`, scaled, then the command line's own workload or traces. Traces and other workloads are
/// not scaled.
[[nodiscard]] std::vector<Load> loads_of(const std::vector<std::string>& names, const RunSpec& run,
                                         double scale);
/// The requests, fitted to the capacity of `configuration`. Throws InputError.
[[nodiscard]] std::unique_ptr<RequestSource> open(const Load& load,
                                                  const platform::Configuration& configuration);
/// Reads the load twice. Throws InputError.
[[nodiscard]] Profile profile_of(const Load& load, const platform::Configuration& configuration);

/// Calls `visit(lpn)` in ascending order for each mapping unit that `sectors` from `lba` on touch.
template <class Visit>
void each_unit(Lba lba, std::uint64_t sectors, std::uint32_t unit_bytes, Visit visit) {
    const std::uint64_t unit_sectors = unit_bytes / hal::kSectorBytes;
    const std::uint64_t end = lba.value + sectors;
    for (std::uint64_t unit = lba.value / unit_sectors; unit * unit_sectors < end; ++unit) {
        visit(hal::Lpn{static_cast<std::uint32_t>(unit)});
    }
}

// One system on one load.

/// Runs on the whole drive with `depth` requests outstanding. With 0, page writes, merges and erases are
/// counted without simulating time: reads and flushes do nothing, trims act on whole units, and
/// preconditioning fills the drive. `load` must have its profile.
[[nodiscard]] StudyJob system_job(const SystemPoint& point, const Load& load, std::uint32_t depth);

/// Reads the result of a system that has read and written `bytes`. Measured::derived as in
/// docs/fragmentation.md; `more`: `data`, `pure`, `wasted` and `utilisation` in percent, `log_pages` that
/// were not written in place, and `over_time`, pairs of GiB written and utilisation in percent, of
/// what the run noted as `utilisation_over_time`. No `utilisation`: no data blocks; no `mb_per_s`: without
/// time.
void measure(const platform::Configuration& configuration, std::uint64_t bytes, const Json& result,
             Measured& point);

/// Operations of the flash array on pages and NAND blocks, for any purpose.
struct FlashWork {
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
};
/// Flash time of `work` in seconds if all dies always worked: array time and the pages' time on the bus.
[[nodiscard]] double flash_seconds(const FlashWork& work, const platform::Configuration& configuration);

/// MB/s of reads and writes: measured, or computed from the flash work if time was not simulated.
[[nodiscard]] double throughput(const Measured& point);
/// The cost of the sequential rule: throughput with it against throughput without, in percent (below 0:
/// slower). Nothing if `with` has no rule, or if its counterpart without the rule was not run.
[[nodiscard]] std::optional<double> cost_of_rule(Points points, const Measured& with);

// Figure 2 of the study: one write of eight pages to four dies, with full striping and without (claim A7),
// beside the limit set by the times of bus and array.

/// Flash time of the write, from the first page's transfer to the end of the last program. Pages go to the
/// dies in turn (`dies` of them, evenly on `channels`). Each die handles one page at a time, each channel
/// transfers one, and both serve pages in the order of their requests.
[[nodiscard]] double write_time_us(std::uint32_t pages, std::uint32_t dies, std::uint32_t channels,
                                   double transfer_us, double program_us);

/// Part `speed_up`: the write on a drive of four dies with the times of `base`, on one, two and four
/// `channels`, with `striping` none and full and the given layer. Yields `flash_us` of the write's latency,
/// and the ratio `expected` from the closed form.
[[nodiscard]] std::vector<StudyJob> speed_up_jobs(const platform::Configuration& base,
                                                  const std::string& layer);

// Parameters that the study does not give but that its numbers may depend on: the size of the drive, and how
// long its log lasts. FAST with full striping, counted without simulating time. The drive's shape, the log
// and the number of requests stay the same while the drive shrinks.

/// Part `sensitivity`: every `load` over `log_blocks` (NAND blocks), the PC application also over `drive_gib`
/// (exported), with and without the rule. Empty if FAST, full striping or one value of the rule is not in the
/// sweep; combinations for which the drive is too small are left out.
[[nodiscard]] std::vector<StudyJob> sensitivity_jobs(const Sweep& sweep,
                                                     const std::vector<std::uint32_t>& log_sweep,
                                                     const std::vector<double>& drive_sweep,
                                                     std::span<const Load> loads,
                                                     const platform::Configuration& base);
[[nodiscard]] std::vector<Figure> sensitivity_figures(Points points);
/// The PC application: drives by logs. Empty if it was not run.
[[nodiscard]] std::string sensitivity_table(Points points, const TextStyle& style);

/// A1 to A7 of the study, judged by rules that are fixed beforehand.
[[nodiscard]] std::vector<Claim> claims_of(Points points);
/// Figures 5 to 8 of the study, and those of the sensitivity.
[[nodiscard]] std::vector<Figure> figures_of(Points points, std::span<const Load> loads);
/// The study's table 1 beside the present values, a table of systems for each load and striping, and the
/// sensitivity. `scale`: that of the drive and of the study's two workloads.
[[nodiscard]] std::string tables_of(Points points, std::span<const Load> loads, double scale,
                                    const TextStyle& style);

}  // namespace solidtlm::testbench::fragmentation
