// SPDX-License-Identifier: Apache-2.0
//
// For the tests of the configuration: issues as text, and a folder that goes away.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

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

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "solidtlm-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path write(const std::string& name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

}  // namespace solidtlm::platform
