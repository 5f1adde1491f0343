// SPDX-License-Identifier: Apache-2.0
//
// What copying inside the die costs: bit errors that nothing corrects on the way. The cache is folded, then
// read.
#include <fmt/format.h>

#include "hw/nand/bit_errors.h"
#include "platform/units.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/simulation.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

constexpr double kPause = 2.0;  // times of folding the cache: all of it is folded

/// Raw bit errors in a codeword of folded data, by the cycles of a new drive; age and reads add next to
/// nothing within a run. A copy that was not corrected has those of its source, too.
double errors_per_codeword(const hw::NandConfig& nand, bool copy_back) {
    const double rate = hw::raw_bit_error_rate(nand.faults.rber, nand.faults.cycles, 0.0, 0.0);
    const double bits = 8.0 * (nand.ecc.codeword_bytes + nand.ecc.parity_bytes);
    return bits * rate * (copy_back ? 1.0 + nand.slc.bit_errors : 1.0);
}

/// Fills the cache and, after the pause, reads what was written first.
Bursts bursts_of(const Bounds& bounds) {
    Bursts bursts;
    bursts.request_bytes = kRequestBytes;
    bursts.first_bytes = whole_requests(bounds.cache_bytes + bounds.buffer_bytes);
    bursts.second_bytes = whole_requests(bounds.cache_bytes / 2);
    bursts.region_bytes = bursts.first_bytes;
    bursts.second = Operation::read;
    bursts.pause = pause_of(bounds, kPause);
    return bursts;
}

StudyJob job_of(const Json& at, const platform::Configuration& drive) {
    const Bursts bursts = bursts_of(bounds_of(drive));
    StudyJob job;
    job.parameters = at;
    job.name =
        fmt::format("bit errors after folding, {} cache of {}, {}", at["cache"].get<std::string>(),
                    platform::format_size(at["size"].get<std::uint64_t>()), at["copying"].get<std::string>());
    job.run = [drive, bursts] {
        RunSpec run = run_of(drive, kDepth);
        run.warm_up = bursts.first_bytes / kRequestBytes + 1;  // folding ends before the first read begins
        BurstSource source(bursts);
        return simulate(run, source, ClosedLoop(kDepth), {.scenario = "tb_slc_cache"});
    };
    job.measure = [nand = drive.nand, copy_back = drive.firmware.slc_cache.copy_back](const Json& result,
                                                                                      Measured& point) {
        const Json& hardware = result["hardware"];
        point.derived = {{"errors_per_codeword", hardware["flash.faults.raw_bit_errors"].get<double>() /
                                                     hardware["flash.faults.codewords"].get<double>()},
                         {"bound_errors_per_codeword", errors_per_codeword(nand, copy_back)},
                         {"most_corrected_bits", hardware["flash.faults.most_corrected_bits"]}};
    };
    return job;
}

}  // namespace

void add_error_jobs(std::vector<StudyJob>& jobs, const Sweep& sweep, const platform::Configuration& base) {
    if (base.nand.ecc.codeword_bytes == 0) {
        return;
    }
    for (const std::string& copying : sweep.copying) {
        const Json at{{"drive", kGiven},
                      {"cache", sweep.caches.front()},
                      {"size", sweep.sizes.front()},
                      {"folding", "idle"},
                      {"copying", copying},
                      {"pause", kPause},
                      {"reads", true}};
        jobs.push_back(job_of(at, variant_of(drive_of(at, base), {"faults.bit_errors=true"})));
    }
}

}  // namespace solidtlm::testbench::slc_cache
