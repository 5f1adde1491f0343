// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/cli/output_file.h"
#include "testbench/run/child_runs.h"
#include "testbench/run/log.h"
#include "testbench/studies/striping/point.h"
#include "testbench/studies/striping/sweep.h"

namespace {
using namespace solidtlm::testbench;
using namespace solidtlm::testbench::striping;
}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = "tb_striping";
    program.summary = "";
    program.configuration_defaults = "content = \"none\"\n";
    Sweep sweep;
    std::uint64_t requests = 0;
    program.add_options = [&](CLI::App& app) {
        app.add_option("--channels", sweep.channels)->delimiter(',');
        app.add_option("--dies", sweep.dies)->delimiter(',');
        app.add_option("--orders", sweep.orders)->delimiter(',');
        app.add_option("--striping", sweep.striping)->delimiter(',');
        app.add_option("--allocation", sweep.allocation)->delimiter(',');
        app.add_option("--patterns", sweep.patterns)->delimiter(',');
        app.add_option("--operations", sweep.operations)->delimiter(',');
        app.add_option("--requests", requests);
        app.add_option("--seq", sweep.sequential_bytes);
        app.add_option("--rnd", sweep.random_bytes);
    };
    return run_program(argc, argv, program, [&](const CommandLine& line) {
        start_logging("warning");
        auto points = points_of(sweep, line.configuration);
        std::vector<PointJob> jobs;
        for (const auto& point : points) {
            jobs.push_back({point.name(), [&] {
                                const std::uint64_t n = requests ? requests : point.stream.sequential ? 2000 : 20000;
                                return run_point(point.configuration, point.stream, n);
                            }});
        }
        const auto outcomes = run_points(jobs, PointPool{line.jobs, line.quiet});
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto& o = outcomes[i];
            if (o.outcome.result.is_null()) {
                std::cout << points[i].name() << " FAULT " << o.outcome.faults.front() << "\n";
                continue;
            }
            const Measured m = measured_of(o.outcome.result, points[i].stream.operation);
            const Bounds b = bounds_of(points[i].configuration, points[i].stream);
            std::cout << fmt::format(
                "{:60} {:7.1f} MB/s  bound {:7.1f} {:9} ratio {:.3f} {} link {:.1f} ch {:.1f}({:.1f}) die {:.1f}({:.1f}) | busy {:.0f} {:.0f} {:.0f} {:.0f} {:.0f} | chw {:.0f} diew {:.0f} | {:.2f}s {:.0f}MB {}\n",
                points[i].name(), m.mb_per_s, b.least(), kResourceNames[(int)b.binding()], m.mb_per_s / b.least(),
                std::abs(m.mb_per_s / b.least() - 1) > 0.05 ? "***" : "   ", b.mb_per_s[0], b.mb_per_s[1], b.reached.channels,
                b.mb_per_s[2], b.reached.dies, m.busy[0], m.busy[1], m.busy[2], m.busy[3], m.busy[4], m.channel.total, m.die.total,
                o.wall_time_s, static_cast<double>(o.peak_memory_bytes) / 1e6, o.outcome.faults.empty() ? "" : o.outcome.faults.front());
        }
        return 0;
    });
}
