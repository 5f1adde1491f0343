// SPDX-License-Identifier: Apache-2.0
//
// Prints the properties and the locality of traces and generated workloads side by side, or what
// deduplication can find in them, without a device.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"
#include "testbench/programs/cli/help.h"
#include "testbench/programs/cli/trace_options.h"
#include "testbench/show/progress.h"
#include "testbench/show/terminal.h"
#include "testbench/show/text_table.h"
#include "testbench/show/trace_section.h"
#include "testbench/sim/load/answered_source.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/trace/trace.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/arrival_gaps.h"
#include "testbench/studies/content_properties.h"
#include "testbench/studies/load_properties.h"

namespace {

using namespace solidtlm::testbench;

constexpr std::int32_t kShort = 64;  ///< entries in the study's largest forward window, 256 bytes

std::string percent(std::uint64_t part, std::uint64_t whole) {
    constexpr double kPercent = 100;
    return whole > 0 ? grouped(kPercent * static_cast<double>(part) / static_cast<double>(whole), 1) : "-";
}

/// A benchmark on a file system; each of its requests is answered after a fixed time, as by an idle drive.
class AnsweredBenchmark final : public RequestSource {
  public:
    AnsweredBenchmark(const std::string& load, std::uint64_t device_sectors)
        : benchmark_(fs::parse_fs_workload(load, device_sectors, load)) {}
    bool next(Request& request) override { return answered_.next(request); }

  private:
    static constexpr Ps kService{100'000'000};  // 100 us
    fs::FsSource benchmark_;
    AnsweredSource answered_{benchmark_, kService};
};

/// Values of the options.
struct Settings {
    std::vector<std::string> loads;
    std::string format;
    TraceSelection selection;
    std::vector<std::int64_t> offsets;  ///< none, or one
    std::uint64_t drive_sectors = (1024 * solidtlm::hal::kGiB) / solidtlm::hal::kSectorBytes;
    bool contents = false;
    bool dry_run = false;
};

std::unique_ptr<RequestSource> open_load(const std::string& load, const Settings& settings) {
    const std::uint64_t device_sectors = settings.drive_sectors;
    // In a workload, dots occur only in numbers after its first key.
    if (std::filesystem::exists(load) ||
        load.substr(0, load.find(',')).find_first_of("./") != std::string::npos) {
        TraceOptions options;
        options.path = load;
        options.format = settings.format;
        options.selection = settings.selection;
        options.selection.offset = settings.offsets.empty() ? 0 : settings.offsets.front();
        return open_trace(options);
    }
    if (fs::is_fs_workload(load)) {
        return std::make_unique<AnsweredBenchmark>(load, device_sectors);
    }
    return make_workload(parse_workload(load, device_sectors, load));
}

/// Reports how far a load has been read.
class WatchedSource final : public RequestSource {
  public:
    explicit WatchedSource(RequestSource& source)
        : source_(source), progress_("requests", source.size(), progress_mode(false)) {}
    bool next(Request& request) override {
        if (++count_ % kRequestsBetweenLooks == 0) {
            progress_.update(count_);
        }
        return source_.next(request);
    }

  private:
    static constexpr std::uint64_t kRequestsBetweenLooks = 65536;
    RequestSource& source_;
    Progress progress_;
    std::uint64_t count_ = 0;
};

TextTable headings() {
    TextTable table;
    table.column("load", Align::wrap);
    for (const char* heading : {"requests", "KiB", "pages", "read %", "range GiB", "unique GiB", "TP",
                                "fifth %", "miss %", "0 %", "+1..64", "+65..", "-1..64", "-65.."}) {
        table.column(heading, Align::right);
    }
    return table;
}

void add_row(TextTable& table, const std::string& load, const LoadProperties& properties) {
    constexpr double kPageBytes = 4096;
    constexpr double kPercent = 100;
    const SleHistogram& sle = properties.sle();
    const auto share = [&](std::int32_t first, std::int32_t last) {
        return percent(sle.count(first, last), sle.total());
    };
    table.row(
        {load, grouped(static_cast<double>(properties.requests()), 0),
         grouped(properties.mean_bytes() / solidtlm::hal::kKiB, 2),
         grouped(static_cast<double>(properties.page_requests()), 0),
         grouped(kPercent * properties.read_share(), 1),
         grouped(static_cast<double>(properties.range_bytes()) / solidtlm::hal::kGiB, 2),
         grouped(static_cast<double>(properties.distinct_pages()) * kPageBytes / solidtlm::hal::kGiB, 3),
         grouped(static_cast<double>(properties.distinct_translation_pages()), 0),
         grouped(kPercent * properties.share_of_top_fifth(), 1), percent(sle.misses(), sle.total()),
         share(0, 0), share(1, kShort), share(kShort + 1, kLargestDistance), share(-kShort, -1),
         share(-kLargestDistance, -kShort - 1)});
}

void add_properties(TextTable& table, const std::string& name, RequestSource& source) {
    LoadProperties properties;
    properties.add_all(source);
    add_row(table, name, properties);
}

TextTable content_headings() {
    TextTable table;
    table.column("load", Align::wrap);
    for (const char* heading :
         {"blocks", "distinct", "zero %", "repeated %", "duplicates %", "same %", "run", "distance", "median",
          "top 1% %", "overwrites %", ">1 ms %", ">10 ms %", "ms", "burst"}) {
        table.column(heading, Align::right);
    }
    return table;
}

void add_content_row(TextTable& table, const std::string& load, RequestSource& source) {
    constexpr double kPercent = 100;
    constexpr std::chrono::milliseconds kShortGap{1};
    constexpr std::chrono::milliseconds kLongGap{10};
    ContentProperties contents;
    ArrivalGaps short_gaps(kShortGap);
    ArrivalGaps long_gaps(kLongGap);
    Request request;
    while (source.next(request)) {
        contents.add(request);
        short_gaps.add(request);
        long_gaps.add(request);
    }
    const auto told = [&](const std::string& text) { return contents.told() > 0 ? text : "-"; };
    const auto share = [&](std::uint64_t blocks) { return percent(blocks, contents.told()); };
    table.row({load, grouped(static_cast<double>(contents.blocks()), 0),
               told(grouped(static_cast<double>(contents.distinct()), 0)), share(contents.zeros()),
               share(contents.repeated()), share(contents.duplicates()), share(contents.rewritten()),
               told(grouped(contents.mean_run(), 1)), told(grouped(contents.mean_distance(), 0)),
               told(grouped(static_cast<double>(contents.median_distance()), 0)),
               told(grouped(kPercent * contents.share_of_top_hundredth(), 1)),
               percent(contents.overwrites(), contents.blocks()),
               grouped(kPercent * short_gaps.idle_share(), 1), grouped(kPercent * long_gaps.idle_share(), 1),
               grouped(std::chrono::duration<double, std::milli>(long_gaps.mean_gap()).count(), 1),
               grouped(long_gaps.mean_burst(), 1)});
}

/// One row per load, then the accounts of the traces among them.
void print_table(const Settings& settings) {
    TextTable table = settings.contents ? content_headings() : headings();
    std::vector<TraceAccount> traces;
    for (const std::string& load : settings.loads) {
        const auto source = open_load(load, settings);
        WatchedSource watched(*source);
        (settings.contents ? add_content_row : add_properties)(
            table, std::filesystem::path(load).filename().string(), watched);
        if (auto* trace = dynamic_cast<TraceSource*>(source.get()); trace != nullptr) {
            traces.push_back(trace->account());
        }
    }
    std::cout << table.render(style_for(1)) << trace_lines(trace_section(traces), style_for(1));
}

/// Appends the mistakes that the beginning of each load reveals.
void begin_to_read(const Settings& settings, Errors& errors) {
    for (const std::string& load : settings.loads) {
        try {
            Request request;
            static_cast<void>(open_load(load, settings)->next(request));
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
        }
    }
}

int describe(int argc, char* argv[]) {
    Program program;
    program.name = "describe_load";
    program.summary = "Properties of block traces and workloads, side by side, without a drive.";
    program.examples = {"traces/sample.nbd.xz random,read=0.7", "--contents webvm"};
    program.notes =
        "Columns: requests, mean length, pages of 4 KiB touched, addresses, distinct data, translation pages "
        "of 4 MiB touched (TP), share of the most used fifth of the pages, and where requests lie relative "
        "to "
        "the one that had their translation page cached (percent of the page requests; the request that "
        "misses counts as 0). With --contents: blocks of 4 KiB written, distinct contents, zeros, blocks "
        "whose contents were written before (repeated) or are held by another page (duplicates) or by the "
        "same one, repeated blocks in a row, blocks since the last such one, share of the most frequent "
        "hundredth of the contents; share of the time in gaps between arrivals, mean gap of more than 10 ms, "
        "requests between such gaps.";
    CLI::App app;
    Settings settings;
    OptionSet options(app);
    const Help help(app, options, program);
    options.begin_own();
    options.text("load", settings.loads, "LOAD", "Trace files, or workloads as --workload takes them");
    options.text("--format", settings.format, "NAME",
                 "Format of the traces, or columns:'...' (traces/README.md); by content if not given");
    add_trace_options(options, settings.selection, settings.offsets);
    options.value("--drive", settings.drive_sectors,
                  kinds::size_in(solidtlm::hal::kSectorBytes, solidtlm::hal::kSectorBytes),
                  "Size of the drive that workloads are made for");
    options.flag("--contents", settings.contents, "What is written and when, instead of where");
    options.flag("--dry-run", settings.dry_run,
                 "Check everything and begin to read each load; describe nothing");
    options.explain("workloads", workload_help());
    Errors errors = options.parse(Help::arguments(argc, argv));
    if (help.wanted()) {
        return help.print(std::cout, std::cerr);
    }
    if (settings.loads.empty()) {
        errors.emplace_back(
            "nothing to describe: give traces, or workloads as tb_replay --workload takes them; --help has "
            "examples");
    }
    begin_to_read(settings, errors);
    for (const std::string& error : errors) {
        report_error(std::cerr, error);
    }
    if (!errors.empty()) {
        return kExitUserError;
    }
    if (settings.dry_run) {
        std::cout << "dry run: no mistake found; " << settings.loads.size() << " loads not described\n";
        return kExitSuccess;
    }
    try {
        print_table(settings);
    } catch (const InputError& error) {
        report_error(std::cerr, error.what());
        return kExitUserError;
    }
    return kExitSuccess;
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        return describe(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return kExitFailure;
    }
}
