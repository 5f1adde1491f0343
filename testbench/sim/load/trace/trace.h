// SPDX-License-Identifier: Apache-2.0
//
// A trace file as a source of requests: it opens the file, detects the format, sorts records, makes times
// relative and fits addresses to the device. See traces/README.md for the formats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/trace/account.h"
#include "testbench/sim/load/trace/fit.h"
#include "testbench/sim/load/trace/formats.h"
#include "testbench/sim/load/trace/reader.h"
#include "testbench/sim/load/trace/selection.h"

namespace solidtlm::testbench {

struct TraceOptions {
    std::string path;
    std::string format;  ///< as for --format; empty: detected from the contents
    TraceSelection selection = {};
    Fit fit = Fit::error;
    std::uint64_t device_sectors = 0;  ///< size of the simulated device; 0: addresses are not checked
    std::uint64_t skip = 0;            ///< requests skipped at the beginning
    std::uint64_t limit = 0;           ///< most requests to return; 0: all
};

/// Arrivals are relative to the first request that is returned. Requests are in time order. If the format
/// promises that order, a time that goes back is an InputError; otherwise see ReorderWindow.
class TraceSource final : public RequestSource {
  public:
    /// Throws InputError. Fit::scale reads the whole file once to learn its extent.
    explicit TraceSource(TraceOptions options);

    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }

    [[nodiscard]] const Format& format() const { return *format_; }
    /// What has been read so far.
    [[nodiscard]] const TraceAccount& account();
    [[nodiscard]] const TraceCounts& counts() const { return reader_->counts(); }
    /// Whether the last returned request is, or is a part of, a write-zeroes command.
    [[nodiscard]] bool zeroes() const { return record_.zeroes; }

  private:
    void open();
    void find_format(InputStream& input);
    [[nodiscard]] std::uint64_t measure_extent();
    bool read();
    bool read_selected();
    void skip_ahead();
    [[nodiscard]] std::string where() const { return reader_->where(record_.line); }
    [[noreturn]] void refuse_emptiness() const;

    TraceOptions options_;
    std::optional<Format> format_;
    std::unique_ptr<TraceReader> reader_;
    std::optional<AddressFitter> fitter_;
    std::optional<std::uint64_t> size_;
    TraceRecord record_;
    std::vector<Request> rest_;   ///< remaining pieces of the last request, the next one at the back
    std::uint64_t records_ = 0;   ///< records read so far, including those left out
    std::uint64_t selected_ = 0;  ///< records between --trace-from and --trace-until
    std::uint64_t given_ = 0;
    std::uint64_t origin_ns_ = 0;  ///< time of the first record
    std::uint64_t first_ns_ = 0;   ///< time of the first returned record
    std::uint64_t last_ns_ = 0;
    std::vector<std::uint64_t> by_device_;  ///< requests returned, by device
    TraceAccount account_;
};

[[nodiscard]] std::unique_ptr<TraceSource> open_trace(const TraceOptions& options);

struct TraceSummary : TraceAccount {
    std::uint64_t trim_ranges = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t zero_bytes = 0;  ///< part of write_bytes that write-zeroes commands wrote
    std::uint64_t trim_bytes = 0;
    std::uint64_t identities = 0;           ///< content identities, including zero blocks
    std::uint64_t distinct_identities = 0;  ///< different identities, zero excluded
    std::uint64_t distinct_pages = 0;       ///< 4 KiB pages read or written, without write-zeroes commands
    std::uint32_t deepest_queue = 0;
};

/// Reads the whole trace.
[[nodiscard]] TraceSummary summarize(const TraceOptions& options);

}  // namespace solidtlm::testbench
