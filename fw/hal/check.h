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

/// Whose code runs, for the message. Who runs coroutines sets one meanwhile.
class CheckScene {
  public:
    /// Of the coroutine that runs.
    [[nodiscard]] virtual std::string running() const = 0;
    [[nodiscard]] virtual Ps time() const = 0;

    /// The present one; null: no coroutine runs.
    inline static const CheckScene* current = nullptr;
    /// Where no coroutine runs; null: there is none (hw/tlm/time.h sets it).
    inline static Ps (*simulated_time)() = nullptr;

  protected:
    ~CheckScene() = default;
};

/// Called with the message of a check that failed. May throw (tests); if it returns the program ends.
using CheckHandler = void (*)(const std::string& message);
/// Returns the handler of before. At first: prints to standard error.
CheckHandler set_check_handler(CheckHandler handler);

[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* expected, const char* file,
                                          int line);

}  // namespace solidtlm::hal
