// SPDX-License-Identifier: Apache-2.0
//
// Declared keys reach a reader in the order of their declarations, with what they say.
#include "fw/hal/key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::hal {
namespace {

struct Motor {
    SOLIDTLM_KEYS(Motor);
    SOLIDTLM_KEY(std::uint32_t, turns, 7, key.up_to(9), "Turns.");
    std::uint32_t hidden = 3;
    SOLIDTLM_KEY_AS("pause_time", Ps, pause, 500, key.up_to(1us), "Between two turns.");
};

struct Machine {
    SOLIDTLM_KEYS(Machine);
    SOLIDTLM_KEY(bool, runs, true, key.up_to(1),
                 "A declaration may take several lines, with (parentheses), commas and \"quotes\".");
    SOLIDTLM_KEY_TABLE(Motor, motor);
    std::uint32_t limits[2]{4, 5};
    SOLIDTLM_KEY_OF(
        "limits.high", [](auto& machine) -> auto& { return machine.limits[1]; }, key.up_to(10),
        "Found by a function.", "in words");
    SOLIDTLM_KEY_TABLE_OF("again", &Machine::motor);
};

/// Writes down what it is told, with the values that the fields of a new struct have.
template <class Struct>
struct Recorder {
    static std::string up_to(std::int64_t high) { return "<=" + std::to_string(high); }
    static std::string up_to(Ps high) { return "<=" + std::to_string(high.count()) + "ps"; }

    template <class Field>
    void operator()(std::string_view name, Field field, const std::string& allowed, std::string_view doc,
                    std::string_view otherwise = {}) {
        Struct fresh;
        const auto& value = std::invoke(field, fresh);
        std::string text;
        if constexpr (requires { value.count(); }) {
            text = std::to_string(value.count());
        } else {
            text = std::to_string(value);
        }
        lines.push_back(std::string(name) + "=" + text + " " + allowed + " " + std::string(doc) +
                        std::string(otherwise));
    }
    template <class Field>
    void within(std::string_view name, Field field) {
        Struct fresh;
        Recorder<std::remove_cvref_t<decltype(std::invoke(field, fresh))>> inner;
        read_keys<std::remove_cvref_t<decltype(std::invoke(field, fresh))>>(inner);
        for (const std::string& line : inner.lines) {
            lines.push_back(std::string(name) + "." + line);
        }
    }

    std::vector<std::string> lines;
};

TEST(Key, IsReadInTheOrderOfDeclaration) {
    Recorder<Machine> recorder;
    read_keys<Machine>(recorder);
    EXPECT_EQ(recorder.lines,
              (std::vector<std::string>{
                  "runs=1 <=1 A declaration may take several lines, with (parentheses), commas and "
                  "\"quotes\".",
                  "motor.turns=7 <=9 Turns.",
                  "motor.pause_time=500 <=1000000ps Between two turns.",
                  "limits.high=5 <=10 Found by a function.in words",
                  "again.turns=7 <=9 Turns.",
                  "again.pause_time=500 <=1000000ps Between two turns.",
              }));
}

TEST(Key, LeavesAStructThatIsInitialisedByNames) {
    const Motor motor{.turns = 2, .hidden = 1};
    EXPECT_EQ(motor.turns, 2U);
    EXPECT_EQ(motor.pause, Ps{500});
}

}  // namespace
}  // namespace solidtlm::hal
