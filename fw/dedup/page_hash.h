// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/dedup/counters.h"
#include "fw/dedup/hash_job.h"
#include "fw/dedup/page_index.h"

namespace solidtlm::fw {

/// Hashes one mapping unit in DRAM and counts it. `priority`: the host waits for the page.
inline Task<PageIndex::Key> hash_page(Services& services, DedupCounters& counters, hal::HashFunction function,
                                      hal::DramAddress page, bool priority, Ledger* ledger) {
    const Ps begin = services.executor.now();
    hal::HashJob job;
    job.function = function;
    job.source = page;
    job.bytes = services.layout.unit_bytes();
    job.priority = priority;
    job.ledger = ledger;
    HashAwaiter hashed(services, job);
    co_await hashed;
    const bool crc = function == hal::HashFunction::crc32;
    ++(crc ? counters.crcs : counters.fingerprints);
    (crc ? counters.crc : counters.fingerprint) += services.executor.now() - begin;
    co_return job.digest;
}

}  // namespace solidtlm::fw
