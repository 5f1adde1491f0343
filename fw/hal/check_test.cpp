// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/check.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fw/runtime/executor.h"

namespace solidtlm::hal {
namespace {

/// While this object lives, failed checks throw.
class ThrowingChecks {
  public:
    ThrowingChecks() = default;
    ThrowingChecks(const ThrowingChecks&) = delete;
    ThrowingChecks& operator=(const ThrowingChecks&) = delete;
    ~ThrowingChecks() { set_check_handler(before_); }

  private:
    CheckHandler before_ = set_check_handler([](const std::string& text) { throw std::logic_error(text); });
};

struct FixedClock : Clock {
    [[nodiscard]] Ps now() const override { return Ps{123'456}; }
    void set_alarm(Ps /*at*/, Completion /*alarm*/) override {}
};

std::string message_of(void (*broken)()) {
    const ThrowingChecks checks;
    try {
        broken();
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "";
}

TEST(Check, SaysWhatWasExpectedAndWhere) {
    const int line = __LINE__ + 1;
    const std::string message = message_of([] { SOLIDTLM_CHECK(1 > 2, "numbers grow"); });
    EXPECT_NE(message.find("numbers grow (1 > 2)"), std::string::npos) << message;
    EXPECT_NE(message.find("check_test.cpp:" + std::to_string(line)), std::string::npos) << message;
    EXPECT_EQ(message.find("coroutine"), std::string::npos) << message;
    EXPECT_EQ(message.find("simulated"), std::string::npos) << message;
}

TEST(Check, EvaluatesItsConditionOnce) {
    int times = 0;
    SOLIDTLM_CHECK(++times == 1, "once");
    EXPECT_EQ(times, 1);
}

fw::Task<void> inner() {
    SOLIDTLM_CHECK(false, "inner holds");
    co_return;
}
fw::Task<void> outer(fw::Executor& executor) {
    co_await executor.spend(1);
    co_await inner();
}

TEST(CheckDeathTest, EndsTheProgramAndNamesTheCoroutineAndTheTime) {
    EXPECT_DEATH(
        {
            FixedClock clock;
            fw::Executor executor(clock);
            executor.spawn(outer(executor));
            while (!executor.step().idle) {
            }
        },
        "check failed: inner holds \\(false\\)[^$]*coroutine hal::outer > hal::inner[^$]*123456 ps");
}

}  // namespace
}  // namespace solidtlm::hal
