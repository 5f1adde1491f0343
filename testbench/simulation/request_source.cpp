// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/request_source.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "platform/names.h"
#include "testbench/trace/detect.h"
#include "testbench/trace/magic.h"
#include "testbench/trace/regroup_trims.h"
#include "testbench/trace/trace.h"
#include "testbench/workload/fs/fs_source.h"
#include "testbench/workload/fs/fs_workload_spec.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {
namespace {

/// Traces one after another: each begins at the last arrival of the previous one. Every trace is read once
/// before the first request is given, so that malformed input is found before anything is simulated.
class TraceSequence : public RequestSource {
  public:
    TraceSequence(std::vector<TraceOptions> traces, std::uint64_t limit, std::vector<TraceAccount>* accounts)
        : traces_(std::move(traces)), left_(limit != 0 ? limit : ~std::uint64_t{0}), accounts_(accounts) {
        Request request;
        while (total_ < left_ && next_unlimited(request)) {
            ++total_;
            has_depths_ |= request.queue_depth > 0;
        }
        close();
        accounts_ = nullptr;
        position_ = 0;
        begin_ = end_ = Ps{0};
    }

    bool next(Request& request) override {
        if (left_ == 0 || !next_unlimited(request)) {
            return false;
        }
        --left_;
        return true;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return total_; }
    /// Whether some request records how deep the queue was.
    [[nodiscard]] bool has_depths() const { return has_depths_; }

  private:
    bool next_unlimited(Request& request) {
        while (true) {
            if (!current_) {
                if (position_ == traces_.size()) {
                    return false;
                }
                // The format is detected once: the second reading, during the simulation, tries no formats
                // and throws no exceptions.
                TraceOptions& options = traces_[position_++];
                auto trace = open_trace(options);
                if (options.format.empty()) {
                    options.format = trace->format().name;
                }
                current_ = std::move(trace);
                begin_ = end_;
            }
            if (current_->next(request)) {
                request.arrival += begin_;
                end_ = request.arrival;
                return true;
            }
            close();
        }
    }

    void close() {
        if (current_ && accounts_ != nullptr) {
            accounts_->push_back(current_->account());
        }
        current_.reset();
    }

    std::vector<TraceOptions> traces_;
    std::uint64_t left_;
    std::uint64_t total_ = 0;
    bool has_depths_ = false;
    std::size_t position_ = 0;
    std::unique_ptr<TraceSource> current_;
    std::vector<TraceAccount>* accounts_;  ///< filled at the first reading; null: not needed
    Ps begin_{0};
    Ps end_{0};
};

/// Reports options that a benchmark on a file system cannot use.
void check_benchmark(const RunSpec& run, Errors& errors) {
    const std::string benchmark = ": found with a benchmark on a file system, ";
    if (!run.pacing.empty() && run.pacing != "open") {
        errors.push_back("--pacing " + run.pacing + benchmark +
                         "which decides itself when its requests come; allowed: open");
    }
    if (run.speed != 1.0) {
        errors.push_back("--speed" + benchmark + "which has no arrival times; allowed: 1");
    }
    if (run.limit != 0) {
        errors.push_back("--limit" + benchmark +
                         "which ends with its work; allowed: 0; see files=, transactions=");
    }
    if (!run.regroup_trims.empty()) {
        errors.push_back("--regroup-trims" + benchmark +
                         "which sends its trims itself; allowed: discard= in --workload");
    }
}

/// Calls `read` and stores the text of an InputError.
void collect(Errors& errors, const std::function<void()>& read) {
    try {
        read();
    } catch (const InputError& error) {
        errors.emplace_back(error.what());
    }
}

void check_workload(const RunSpec& run, Errors& errors) {
    const std::uint64_t sectors = run.configuration.firmware.exported_sectors;
    if (fs::is_fs_workload(run.workload)) {
        check_benchmark(run, errors);
        collect(errors, [&] { (void)fs::parse_fs_workload(run.workload, sectors); });
        return;
    }
    if (run.pacing == "recorded_depth") {
        errors.emplace_back(
            "--pacing recorded_depth: a workload has no recorded queue depths; allowed: open, closed");
    }
    collect(errors, [&] { (void)parse_workload(run.workload, sectors); });
}

void check_trace(const std::string& path, bool detect) {
    const std::filesystem::file_status status = std::filesystem::status(path);
    if (exists(status) && !is_regular_file(status) && !is_directory(status)) {
        throw InputError(path + ": not a regular file; a trace is read twice, so save it to a file first");
    }
    InputStream input = open_trace_file(path);
    if (detect) {
        (void)detect_format(input);
    }
}

std::unique_ptr<RequestSource> make_fs_source(const RunSpec& run) {
    fs::FsWorkloadConfig workload =
        fs::parse_fs_workload(run.workload, run.configuration.firmware.exported_sectors);
    if (run.workload.find("seed=") == std::string::npos) {
        workload.seed = run.configuration.seed;
    }
    return std::make_unique<fs::FsSource>(workload);
}

std::unique_ptr<RequestSource> regrouped(const RunSpec& run, std::unique_ptr<RequestSource> source) {
    const auto how = parse_regroup(run.regroup_trims);
    return how ? std::make_unique<RegroupTrims>(std::move(source), *how) : std::move(source);
}

}  // namespace

Errors check_requests(const RunSpec& run) {
    Errors errors;
    if (!run.workload.empty()) {
        check_workload(run, errors);
    }
    if (!run.format.empty()) {
        collect(errors, [&] { (void)format_named(run.format); });
    }
    if (run.traces.empty() && run.selection.any()) {
        errors.push_back(platform::join_names(kTraceOptions) +
                         ": found without a trace; allowed: with --trace");
    }
    for (const std::string& trace : run.traces) {
        collect(errors, [&] { check_trace(trace, run.format.empty()); });
    }
    return errors;
}

std::unique_ptr<RequestSource> make_request_source(const RunSpec& run, std::vector<TraceAccount>* accounts) {
    SOLIDTLM_CHECK(!run.traces.empty() || !run.workload.empty(), "the run has a trace or a workload");
    const std::uint64_t sectors = run.configuration.firmware.exported_sectors;
    if (run.traces.empty() && fs::is_fs_workload(run.workload)) {
        return make_fs_source(run);
    }
    if (run.traces.empty()) {
        WorkloadConfig workload = parse_workload(run.workload, sectors);
        if (run.workload.find("seed=") == std::string::npos) {
            workload.seed = run.configuration.seed;
        }
        if (run.limit != 0) {
            workload.count = workload.count != 0 ? std::min(workload.count, run.limit) : run.limit;
        }
        return regrouped(run, make_workload(workload));
    }
    std::vector<TraceOptions> traces;
    for (const std::string& path : run.traces) {
        TraceOptions options;
        options.path = path;
        options.format = run.format;
        options.selection = run.selection;
        options.fit = *parse_fit(run.fit);
        options.device_sectors = sectors;
        traces.push_back(std::move(options));
    }
    auto sequence = std::make_unique<TraceSequence>(std::move(traces), run.limit, accounts);
    if (run.pacing == "recorded_depth" && !sequence->has_depths()) {
        throw InputError("--pacing recorded_depth: the trace has no queue depths; allowed: open, closed");
    }
    return regrouped(run, std::move(sequence));
}

bool is_stationary(const RunSpec& run) {
    return !run.workload.empty() && !fs::is_fs_workload(run.workload);
}

}  // namespace solidtlm::testbench
