// SPDX-License-Identifier: Apache-2.0
//
// A table with one line per decision of the firmware, in the order they happen.
#pragma once

#include <filesystem>

#include "fw/hal/probe.h"
#include "testbench/watch/table_file.h"

namespace solidtlm::testbench {

/// Columns: docs/decisions.md.
class DecisionTable : public hal::Probe {
  public:
    /// Throws OutputError.
    explicit DecisionTable(const std::filesystem::path& path);

    void decided(const hal::Decision& decision) override;

    /// Moves the file to its place. Throws OutputError.
    void finish() { file_.finish(); }

  private:
    TableFile file_;
};

}  // namespace solidtlm::testbench
