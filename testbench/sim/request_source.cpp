// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/request_source.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "platform/names.h"
#include "platform/units.h"
#include "testbench/sim/host_settings.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/read_blocks.h"
#include "testbench/sim/load/trace/detect.h"
#include "testbench/sim/load/trace/magic.h"
#include "testbench/sim/load/trace/regroup_trims.h"
#include "testbench/sim/load/trace/trace.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {
namespace {

/// The traces of a run, read once from their beginning. The format of each is detected once: the second
/// reading, during the simulation, tries no formats and throws no exceptions.
class Traces {
  public:
    explicit Traces(std::vector<TraceOptions>& options) : options_(options) {}
    virtual ~Traces() = default;
    Traces(const Traces&) = delete;
    Traces& operator=(const Traces&) = delete;

    virtual bool next(Request& request) = 0;
    /// What was read so far of the traces that were opened.
    [[nodiscard]] std::vector<TraceAccount> accounts() const {
        std::vector<TraceAccount> all = finished_;
        for (const auto& trace : open_) {
            all.push_back(trace->account());
        }
        return all;
    }

  protected:
    // NOLINTBEGIN(readability-identifier-naming): for the two orders
    std::vector<TraceOptions>& options_;
    std::vector<std::unique_ptr<TraceSource>> open_;
    std::vector<TraceAccount> finished_;
    // NOLINTEND(readability-identifier-naming)

    void open(TraceOptions& options) {
        open_.push_back(open_trace(options));
        if (options.format.empty()) {
            options.format = open_.back()->format().name;
        }
    }
};

/// Each trace begins at the last arrival of the previous one.
class OneAfterAnother final : public Traces {
  public:
    using Traces::Traces;

    bool next(Request& request) override {
        while (true) {
            if (open_.empty()) {
                if (position_ == options_.size()) {
                    return false;
                }
                open(options_[position_++]);
                begin_ = end_;
            }
            if (open_.front()->next(request)) {
                request.arrival = hal::instant_after(begin_, request.arrival);
                end_ = request.arrival;
                return true;
            }
            finished_.push_back(open_.front()->account());
            open_.clear();
        }
    }

  private:
    std::size_t position_ = 0;
    Ps begin_{0};
    Ps end_{0};
};

/// All traces begin at once; of requests at the same time, that of the trace named first comes first.
class MergedByTime final : public Traces {
  public:
    explicit MergedByTime(std::vector<TraceOptions>& options) : Traces(options) {
        for (TraceOptions& each : options_) {
            open(each);
            heads_.emplace_back();
            more_.push_back(open_.back()->next(heads_.back()));
        }
    }

    bool next(Request& request) override {
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            if (more_[i] && (!first || heads_[i].arrival < heads_[*first].arrival)) {
                first = i;
            }
        }
        if (first) {
            std::swap(request, heads_[*first]);
            more_[*first] = open_[*first]->next(heads_[*first]);
        }
        return first.has_value();
    }

  private:
    std::vector<Request> heads_;  ///< the next request of each trace
    std::vector<bool> more_;      ///< whether the trace has it
};

/// Every trace is read once before the first request is given, so that malformed input is found before
/// anything is simulated.
class CheckedTraces final : public RequestSource {
  public:
    /// `accounts`: receives what was read of each; null: not needed.
    CheckedTraces(std::vector<TraceOptions> traces, bool merge, std::uint64_t limit,
                  std::vector<TraceAccount>* accounts)
        : options_(std::move(traces)), left_(limit != 0 ? limit : ~std::uint64_t{0}) {
        const auto open = [this, merge]() -> std::unique_ptr<Traces> {
            if (merge) {
                return std::make_unique<MergedByTime>(options_);
            }
            return std::make_unique<OneAfterAnother>(options_);
        };
        traces_ = open();
        Request request;
        while (total_ < left_ && traces_->next(request)) {
            ++total_;
            has_depths_ |= request.queue_depth > 0;
            read_.note(request);
            span_ = std::max(span_, request.arrival);
        }
        if (accounts != nullptr) {
            std::ranges::move(traces_->accounts(), std::back_inserter(*accounts));
        }
        traces_ = open();
    }

    bool next(Request& request) override {
        if (left_ == 0 || !traces_->next(request)) {
            return false;
        }
        --left_;
        return true;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return total_; }
    [[nodiscard]] std::vector<SectorRange> reads() const override { return read_.ranges(); }
    /// Whether some request records how deep the queue was.
    [[nodiscard]] bool has_depths() const { return has_depths_; }
    /// From the first arrival to the last; perhaps kBeyondHorizon.
    [[nodiscard]] Ps span() const { return span_; }

  private:
    std::vector<TraceOptions> options_;
    std::uint64_t left_;
    std::uint64_t total_ = 0;
    bool has_depths_ = false;
    ReadBlocks read_;
    std::unique_ptr<Traces> traces_;
    Ps span_{0};
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

/// Mistakes in options for several traces, and for any.
void check_traces(const RunSpec& run, Errors& errors) {
    const std::size_t traces = run.traces.size();
    if (traces == 0 && (run.selection.any() || !run.offsets.empty())) {
        errors.push_back(platform::join_names(kTraceOptions) +
                         ": found without a trace; allowed: with --trace");
    }
    if (traces > 0 && run.offsets.size() > 1 && run.offsets.size() != traces) {
        errors.push_back("--offset: found " + std::to_string(run.offsets.size()) + " values and " +
                         std::to_string(traces) + " traces; allowed: one value, or one for each trace");
    }
    if (run.merge && traces < 2) {
        errors.push_back("--merge: found with " + std::to_string(traces) +
                         (traces == 1 ? " trace" : " traces") + "; allowed: with two or more");
    }
    if (run.merge && run.pacing == "recorded_depth") {
        errors.emplace_back(
            "--pacing recorded_depth: found with --merge, but each trace records its own depth alone; "
            "allowed: open, closed");
    }
}

/// Refuses traces whose arrivals reach beyond the horizon, if the host looks at arrivals.
void check_span(const RunSpec& run, Ps span) {
    if (pacing_of(run) != "open" || run.until) {
        return;
    }
    if (span > hal::kHorizon) {
        throw InputError("--trace: found traces that together last longer than " +
                         std::string(hal::kHorizonText) +
                         "; allowed: at most that with --pacing open, or --until");
    }
    if (static_cast<double>(span.count()) / run.speed > static_cast<double>(hal::kHorizon.count())) {
        throw InputError("--speed: found " + platform::format_number(run.speed) + ", with which a trace of " +
                         platform::format_duration(span) + " lasts longer than " +
                         std::string(hal::kHorizonText) + "; allowed: a higher speed, or --until");
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
    check_traces(run, errors);
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
    for (std::size_t i = 0; i < run.traces.size(); ++i) {
        TraceOptions options;
        options.path = run.traces[i];
        options.format = run.format;
        options.selection = run.selection;
        options.selection.offset = run.offset_of(i);
        options.fit = *parse_fit(run.fit);
        options.device_sectors = sectors;
        traces.push_back(std::move(options));
    }
    auto checked = std::make_unique<CheckedTraces>(std::move(traces), run.merge, run.limit, accounts);
    if (run.pacing == "recorded_depth" && !checked->has_depths()) {
        throw InputError("--pacing recorded_depth: the trace has no queue depths; allowed: open, closed");
    }
    check_span(run, checked->span());
    return regrouped(run, std::move(checked));
}

RunSpec with_start_for(const RunSpec& run, const RequestSource& load) {
    RunSpec result = run;
    if (run.precondition ? run.precondition->where_read : run.load_state.empty()) {
        result.precondition = where_read(load);
    }
    return result;
}

}  // namespace solidtlm::testbench
