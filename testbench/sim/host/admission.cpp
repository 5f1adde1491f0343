// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/admission.h"

#include "fw/hal/check.h"

namespace solidtlm::testbench {

void Admission::not_before(Ps at) {
    outstanding_ -= static_cast<std::uint32_t>(ends_.size());
    ends_.clear();
    latest_ = at;
}

std::optional<Ps> Admission::admit(std::uint32_t depth) {
    SOLIDTLM_CHECK(depth >= 1 && depth <= kMostOutstanding, "depth is from 1 to kMostOutstanding");
    while (outstanding_ >= depth) {
        if (ends_.empty()) {
            return std::nullopt;
        }
        latest_ = ends_.pop();
        --outstanding_;
    }
    ++outstanding_;
    return latest_;
}

void Admission::admit_at(Ps at) {
    not_before(at);
    ++outstanding_;
}

}  // namespace solidtlm::testbench
