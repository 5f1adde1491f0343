// SPDX-License-Identifier: Apache-2.0
//
// Contracts that are checked in every build. A program that breaks one reports what was expected, which
// coroutine was running and at what simulated time, and ends.
#pragma once

#include <string>

#include "fw/hal/types.h"

/// `expected` says, as a string literal, what should have held; the function's REQUIRES in most cases.
#define SOLIDTLM_CHECK(condition, expected)                                          \
    do {                                                                             \
        if (!(condition)) [[unlikely]] {                                             \
            ::solidtlm::hal::check_failed(#condition, expected, __FILE__, __LINE__); \
        }                                                                            \
    } while (false)

namespace solidtlm::hal {

/// Tells the message whose code runs. The executor sets one while it runs coroutines.
class CheckScene {
  public:
    /// The coroutine that runs, and those that await it.
    [[nodiscard]] virtual std::string running() const = 0;
    [[nodiscard]] virtual Ps time() const = 0;

    /// The present one; null: no coroutine runs.
    inline static const CheckScene* current = nullptr;
    /// The time when no coroutine runs (hw/tlm/time.h sets it); null: there is none.
    inline static Ps (*simulated_time)() = nullptr;

  protected:
    ~CheckScene() = default;
};

/// Called with the message of a check that failed. May throw (tests); if it returns the program ends.
using CheckHandler = void (*)(const std::string& message);
/// Returns the previous handler. The initial one prints to standard error.
CheckHandler set_check_handler(CheckHandler handler);

[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* expected, const char* file,
                                          int line);

}  // namespace solidtlm::hal
