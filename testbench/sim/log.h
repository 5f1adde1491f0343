// SPDX-License-Identifier: Apache-2.0
//
// Messages of the model and of SystemC itself go to stderr through spdlog, in one style.
#pragma once

#include <string>

namespace solidtlm::testbench {

/// Routes SystemC reports to spdlog. `level`: trace, debug, info, warning, error or off. An SC_ERROR or
/// SC_FATAL still throws sc_report, so that a bug of the model ends the run.
void start_logging(const std::string& level);

}  // namespace solidtlm::testbench
