// SPDX-License-Identifier: Apache-2.0
//
// Saves and loads the verifier's knowledge about a drive without power.
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/memory.hpp>

#include "fw/hal/check.h"
#include "hw/tlm/sized.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

template <class Archive>
void ShadowMap::serialize(Archive& archive) {
    SOLIDTLM_CHECK(!Archive::is_loading::value || changed_pages() == 0,
                   "nothing is known before it is loaded");
    hw::serialize_sized(archive, changed_, changed_.size());
    for (std::uint64_t run = 0; run <= sectors_ / hw::kRunSectors; ++run) {
        if (!page_changed(run / kPageRuns)) {
            continue;
        }
        Entry& entry = entries_[run];
        bool alike = entry.other == 0;
        hw::serialize_flag(archive, alike);
        if (alike) {
            archive(entry.first, entry.tag);
        } else {
            Run known = load(run);
            archive(known);
            put(run, known);
        }
    }
}

template <class Archive>
void StateRange::serialize(Archive& archive) {
    archive(first);
    hw::serialize_list(archive, states);
}

template <class Archive>
void Doubts::serialize(Archive& archive) {
    hw::serialize_map(archive, entries_,
                      [&archive](Entry& entry) { hw::serialize_list(archive, entry.ranges); });
    std::vector<std::uint32_t> anything(anything_.begin(), anything_.end());
    hw::serialize_list(archive, anything);
    anything_ = {anything.begin(), anything.end()};
}

template <class Archive>
void Verifier::serialize(Archive& archive) {
    SOLIDTLM_CHECK(config_.power_cuts && unsafe_.empty() && trims_.empty(),
                   "no write or trim is open that a power cut may lose");
    archive(shadow_, doubts_);
    hw::serialize_list(archive, lazy_trims_);
    archive(next_sequence_, cut_at_);
    if constexpr (Archive::is_loading::value) {
        earlier_ = next_sequence_;
    }
}

template void Verifier::serialize(cereal::PortableBinaryOutputArchive& archive);
template void Verifier::serialize(cereal::PortableBinaryInputArchive& archive);

}  // namespace solidtlm::testbench
