// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/watch/settings.h"
#include "testbench/watch/vcd_writer.h"

namespace solidtlm::testbench {

/// Text of a GTKWave save file (GTKWave 3.3 manual, appendix "Save file syntax"): every signal of the dump,
/// one group per scope, levels as curves, the view zoomed to `window`.
[[nodiscard]] std::string gtkwave_save(const std::filesystem::path& vcd,
                                       const std::vector<VcdSignal>& signals, const RecordWindow& window);

}  // namespace solidtlm::testbench
