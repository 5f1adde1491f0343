// SPDX-License-Identifier: Apache-2.0
//
// For the tests of the configuration: issues as text, and a folder that is removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fw/testing/files.h"
#include "platform/configuration.h"
#include "platform/plausible_value.h"

namespace solidtlm::platform {

/// The texts of all issues of `call`; empty if it succeeds.
template <class Call>
std::vector<std::string> issues_of(Call call) {
    std::vector<std::string> texts;
    try {
        call();
    } catch (const ConfigurationError& error) {
        for (const ConfigurationIssue& issue : error.issues()) {
            texts.push_back(issue.text());
        }
    }
    return texts;
}

inline std::vector<std::string> issues_in(std::string_view toml,
                                          const std::vector<std::string>& settings = {}) {
    return issues_of([&] { (void)parse_configuration(toml, "my.toml", settings); });
}

inline std::vector<std::string> issues_with(const std::vector<std::string>& settings) {
    return issues_in("", settings);
}

}  // namespace solidtlm::platform
