// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>

#include "fw/hal/zeroed_memory.h"

namespace solidtlm::testbench {

/// The message for a user. It names what needed memory, and how much, if that is known.
inline std::string out_of_memory(const std::bad_alloc& error) {
    const bool known = dynamic_cast<const hal::OutOfMemory*>(&error) != nullptr;
    return known ? error.what() : "out of memory";
}

}  // namespace solidtlm::testbench
