// SPDX-License-Identifier: Apache-2.0
//
// How much of a random test runs under the sanitizers, where everything takes about ten times as long.
#pragma once

namespace solidtlm::fw::testing {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// `usual` seeds, cuts or rounds; `sanitized` of them in a build with the sanitizers.
template <typename Count>
constexpr Count usual_or_sanitized(Count usual, Count sanitized) {
    return kSanitized ? sanitized : usual;
}

}  // namespace solidtlm::fw::testing
