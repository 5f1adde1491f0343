// SPDX-License-Identifier: Apache-2.0
//
// How GoogleTest prints parameters, so that tests have readable names.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hal {

inline void PrintTo(ContentMode mode, std::ostream* out) {
    constexpr std::array<std::string_view, 3> kNames{"none", "tags", "bytes"};
    *out << kNames.at(static_cast<std::size_t>(mode));
}

}  // namespace solidtlm::hal
