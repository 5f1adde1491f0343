// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/outputs.h"

#include "testbench/files/output_file.h"
#include "testbench/host/warm_up.h"
#include "testbench/report/report.h"
#include "testbench/simulation/host_settings.h"

namespace solidtlm::testbench {
namespace {

/// What was asked for apart from the configuration; options without effect are left out.
Json parameters_of(const CommandLine& line) {
    Json parameters = Json::object();
    const auto add = [&parameters](const char* name, const auto& value, bool given) {
        if (given) {
            parameters[name] = value;
        }
    };
    add("trace", line.traces, !line.traces.empty());
    add("format", line.format, !line.format.empty());
    add("fit", line.fit, line.fit != "error");
    add("regroup_trims", line.regroup_trims, !line.regroup_trims.empty());
    add("workload", line.workload, !line.workload.empty());
    if (!line.traces.empty() || !line.workload.empty()) {
        parameters["pacing"] = pacing_of(line);
        parameters["queue_depth"] = queue_depth_of(line);
    }
    add("speed", line.speed, line.speed != 1.0);
    add("limit", line.limit, line.limit != 0);
    add("warm_up", line.warm_up == kUntilSteady ? Json("steady") : Json(line.warm_up), line.warm_up != 0);
    return parameters;
}

}  // namespace

void write_outputs(const CommandLine& line, Json& result) {
    result["parameters"] = parameters_of(line);
    if (!line.out.empty()) {
        write_file_atomically(line.out / kResultFile, to_text(result));
        write_file_atomically(line.out / kReportFile, report_page(result));
    }
}

}  // namespace solidtlm::testbench
