// SPDX-License-Identifier: Apache-2.0
//
// How much of a random test runs under the sanitizers, which make everything about ten times as slow.
#pragma once

#include "fw/runtime/sanitized.h"

namespace solidtlm::fw::testing {

/// `usual` seeds, cuts or rounds, or `sanitized` of them in a build with sanitizers.
template <typename Count>
constexpr Count usual_or_sanitized(Count usual, Count sanitized) {
    return kAddressSanitizer ? sanitized : usual;
}

}  // namespace solidtlm::fw::testing
