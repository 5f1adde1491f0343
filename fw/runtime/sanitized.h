// SPDX-License-Identifier: Apache-2.0
//
// Whether this is a build with AddressSanitizer. g++ defines a macro for that, clang++ has __has_feature.
#pragma once

namespace solidtlm::fw {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
#else
constexpr bool kAddressSanitizer = false;
#endif

}  // namespace solidtlm::fw
