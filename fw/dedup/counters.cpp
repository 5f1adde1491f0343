// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/counters.h"

#include <array>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

constexpr std::array kDedupCounts{
    &DedupCounters::crcs,       &DedupCounters::fingerprints, &DedupCounters::sampled_out,
    &DedupCounters::candidates, &DedupCounters::checked,      &DedupCounters::comparisons,
    &DedupCounters::collisions, &DedupCounters::duplicates,   &DedupCounters::refused,
    &DedupCounters::evicted,    &DedupCounters::idle_periods, &DedupCounters::interrupted};
constexpr std::array kTimes{&DedupCounters::crc, &DedupCounters::fingerprint, &DedupCounters::read,
                            &DedupCounters::compare};
static_assert(sizeof(DedupCounters) ==
                  kDedupCounts.size() * sizeof(std::uint64_t) + kTimes.size() * sizeof(hal::Ps),
              "a counter is missing above");

}  // namespace

DedupCounters& DedupCounters::operator+=(const DedupCounters& other) {
    for (const auto count : kDedupCounts) {
        this->*count += other.*count;
    }
    for (const auto time : kTimes) {
        this->*time += other.*time;
    }
    return *this;
}

DedupCounters DedupCounters::since(const DedupCounters& earlier) const {
    DedupCounters part = *this;
    for (const auto count : kDedupCounts) {
        SOLIDTLM_CHECK(earlier.*count <= this->*count, "an earlier snapshot of the same counters");
        part.*count -= earlier.*count;
    }
    for (const auto time : kTimes) {
        part.*time -= earlier.*time;
    }
    return part;
}

}  // namespace solidtlm::fw
