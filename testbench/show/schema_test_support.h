// SPDX-License-Identifier: Apache-2.0
//
// For tests that check documents against the schema with scripts/check-result.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace solidtlm::testbench::testing {

inline bool have_jsonschema() {
    return std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") == 0;  // NOLINT(cert-env33-c)
}

/// Whether the environment has CI=true, which .ci/run and public CI services set.
inline bool in_ci() {
    const char* value = std::getenv("CI");
    return value != nullptr && std::string_view(value) == "true";
}

/// Without the Python package, skips the test; in CI, where a skip would go unnoticed, fails it.
#define NEED_JSONSCHEMA()                                                              \
    if (!solidtlm::testbench::testing::have_jsonschema()) {                            \
        if (solidtlm::testbench::testing::in_ci()) {                                   \
            FAIL() << "python3-jsonschema is not installed; CI must check the schema"; \
        }                                                                              \
        GTEST_SKIP() << "python3-jsonschema is not installed: see scripts/setup";      \
    }                                                                                  \
    static_assert(true)

}  // namespace solidtlm::testbench::testing
