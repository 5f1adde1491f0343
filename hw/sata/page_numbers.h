// SPDX-License-Identifier: Apache-2.0
//
// For tests: bytes of a page as numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "hw/sata/log_page.h"

namespace solidtlm::hw::test {

using Numbers = std::vector<unsigned>;

inline Numbers numbers_of(const LogPage& page, std::size_t first, std::size_t count) {
    Numbers found;
    for (std::size_t i = first; i < first + count; ++i) {
        found.push_back(std::to_integer<unsigned>(page[i]));
    }
    return found;
}

}  // namespace solidtlm::hw::test
