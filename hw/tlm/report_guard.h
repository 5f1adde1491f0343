// SPDX-License-Identifier: Apache-2.0
//
// For tests: an SC_WARNING or worse fails the running test unless it was declared as expected.
#pragma once

#include <string>

namespace solidtlm::hw {

/// Installs the SystemC report handler and the GoogleTest listener. Call once, before RUN_ALL_TESTS().
void install_report_guard();

/// While this object lives, reports whose message type contains `message_type` are expected, and at least one
/// must come. An expected SC_FATAL or SC_ERROR still throws sc_report.
class ExpectReport {
  public:
    explicit ExpectReport(std::string message_type);
    ~ExpectReport();
    ExpectReport(const ExpectReport&) = delete;
    ExpectReport& operator=(const ExpectReport&) = delete;
    [[nodiscard]] int seen() const;
};

}  // namespace solidtlm::hw
