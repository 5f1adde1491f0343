// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/outputs.h"

#include <algorithm>

#include "testbench/show/report/report.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host_settings.h"

namespace solidtlm::testbench {
namespace {

/// Adds the pacing and the queue depth of the load, after the entries that define the load.
RunEntries complete(const RunSpec& run, RunEntries asked) {
    if (run.traces.empty() && run.workload.empty()) {
        return asked;
    }
    using platform::ValueType;
    std::erase_if(asked,
                  [](const RunEntry& each) { return each.key == "pacing" || each.key == "queue_depth"; });
    const platform::Names later{"speed", "limit", "warm_up"};
    const auto place = std::ranges::find_first_of(asked, later, {}, &RunEntry::key);
    asked.insert(place, {{"pacing", ValueType::text, false, {pacing_of(run)}},
                         {"queue_depth", ValueType::integer, false, {std::to_string(queue_depth_of(run))}}});
    return asked;
}

}  // namespace

void write_outputs(const RunSpec& run, const RunEntries& asked, Json& result) {
    result["parameters"] = to_json(complete(run, asked));
    if (!run.out.empty()) {
        write_file_atomically(run.out / kResultFile, to_text(result));
        if (!run.no_report) {
            write_file_atomically(run.out / kReportFile, report_page(result));
        }
    }
}

}  // namespace solidtlm::testbench
