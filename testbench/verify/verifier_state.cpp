// SPDX-License-Identifier: Apache-2.0
//
// What the verifier knows of a drive without power, to and from a saved one.
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/vector.hpp>

#include "fw/hal/check.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

template <class Archive>
void Verifier::serialize(Archive& archive) {
    SOLIDTLM_CHECK(config_.power_cuts && unsafe_.empty() && trims_.empty() && lazy_trims_.empty(),
                   "whatever a loss of power may take is known");
    archive(shadow_, alternatives_, lost_trims_, next_sequence_);
    if constexpr (Archive::is_loading::value) {
        earlier_ = cut_at_ = next_sequence_;
    }
}

template void Verifier::serialize(cereal::PortableBinaryOutputArchive& archive);
template void Verifier::serialize(cereal::PortableBinaryInputArchive& archive);

}  // namespace solidtlm::testbench
