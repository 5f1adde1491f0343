// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <systemc>

namespace solidtlm::testbench {
namespace {

spdlog::level::level_enum level_of(sc_core::sc_severity severity) {
    switch (severity) {
        case sc_core::SC_INFO:
            return spdlog::level::debug;
        case sc_core::SC_WARNING:
            return spdlog::level::warn;
        case sc_core::SC_ERROR:
            return spdlog::level::err;
        default:
            return spdlog::level::critical;
    }
}

void handle_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    spdlog::log(level_of(report.get_severity()), "{} {}: {}", sc_core::sc_time_stamp().to_string(),
                report.get_msg_type(), report.get_msg());
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

}  // namespace

void start_logging(const std::string& level) {
    auto logger = spdlog::stderr_color_mt("solidtlm");
    logger->set_pattern("%^%l%$: %v");
    spdlog::set_default_logger(logger);
    spdlog::set_level(spdlog::level::from_str(level));
    sc_core::sc_report_handler::set_handler(handle_report);
}

}  // namespace solidtlm::testbench
