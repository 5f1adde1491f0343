// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/dedup_section.h"

#include "testbench/results/json_number.h"

namespace solidtlm::testbench {
namespace {

double us(Ps duration) {
    return ps_of(duration) / kPsPerUs;
}

}  // namespace

Json dedup_section(const DedupTelemetry& dedup) {
    const fw::DedupState& state = dedup.state;
    const fw::DedupCounters& counters = state.counters;
    return {{"system", dedup.system},
            {"crcs", counters.crcs},
            {"fingerprints", counters.fingerprints},
            {"sampled_out", counters.sampled_out},
            {"candidates", counters.candidates},
            {"checked", counters.checked},
            {"comparisons", counters.comparisons},
            {"collisions", counters.collisions},
            {"duplicates", counters.duplicates},
            {"refused", counters.refused},
            {"evicted", counters.evicted},
            {"idle_periods", counters.idle_periods},
            {"interrupted", counters.interrupted},
            {"time_us",
             {{"crc", us(counters.crc)},
              {"fingerprint", us(counters.fingerprint)},
              {"read", us(counters.read)},
              {"compare", us(counters.compare)},
              {"total", us(counters.total())}}},
            {"shared_pages", state.shared_pages},
            {"references", state.references},
            {"saved_pages", state.saved_pages()},
            {"waiting", state.waiting},
            {"table_entries", state.table_entries},
            {"table_bytes", state.table_bytes},
            {"hash_unit",
             {{"crc32_jobs", dedup.hash.crc32_jobs},
              {"md5_jobs", dedup.hash.md5_jobs},
              {"busy_us", us(dedup.hash.busy)}}}};
}

}  // namespace solidtlm::testbench
