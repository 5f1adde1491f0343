// SPDX-License-Identifier: Apache-2.0
//
// A trace file as a source of requests: open, tell the format, put in order, make times relative, fit to the
// device. See traces/README.md for the formats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/trace/fit.h"
#include "testbench/trace/formats.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

struct TraceOptions {
    std::string path;
    std::string format;  ///< name of a format; empty: by content
    std::string device;  ///< keep the requests to this device of the trace only; empty: all, as one device
    Fit fit = Fit::error;
    std::uint64_t device_sectors = 0;  ///< of the simulated device; 0: addresses are not checked
    std::uint64_t skip = 0;            ///< requests to leave out at the beginning
    std::uint64_t limit = 0;           ///< requests to give at most; 0: all
};

/// Arrivals are relative to the first request given. Requests come in time order: where a format promises
/// that, a time that goes back is an InputError, otherwise see ReorderWindow.
class TraceSource final : public RequestSource {
  public:
    /// Throws InputError. Fit::scale reads the whole file once to learn its extent.
    explicit TraceSource(TraceOptions options);

    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }

    [[nodiscard]] const Format& format() const { return *format_; }
    /// What was met up to now besides requests.
    [[nodiscard]] const TraceCounts& counts() const { return reader_->counts(); }

  private:
    void open();
    [[nodiscard]] std::uint64_t measure_extent();
    bool read();
    void skip_ahead();

    TraceOptions options_;
    const Format* format_ = nullptr;
    std::unique_ptr<TraceReader> reader_;
    std::optional<AddressFitter> fitter_;
    std::optional<std::uint64_t> size_;
    TraceRecord record_;
    std::vector<Request> rest_;  ///< pieces of the last request, the next one at the back
    std::uint64_t records_ = 0;  ///< read so far, with those left out
    std::uint64_t given_ = 0;
    std::uint64_t first_ns_ = 0;
    std::uint64_t last_ns_ = 0;
};

[[nodiscard]] std::unique_ptr<TraceSource> open_trace(const TraceOptions& options);

struct TraceSummary {
    std::string_view format;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;  ///< write-zeroes commands (counts.write_zeroes) included
    std::uint64_t trims = 0;
    std::uint64_t trim_ranges = 0;
    std::uint64_t flushes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t zero_bytes = 0;  ///< of write_bytes, those of write-zeroes commands
    std::uint64_t trim_bytes = 0;
    std::uint64_t identities = 0;           ///< content identities given, zero blocks included
    std::uint64_t distinct_identities = 0;  ///< zero not included
    std::uint64_t distinct_pages = 0;       ///< 4 KiB pages read or written, write-zeroes commands left out
    std::uint64_t extent_sectors = 0;
    std::uint32_t deepest_queue = 0;
    Ps span{0};  ///< from the first arrival to the last
    TraceCounts counts;

    [[nodiscard]] std::uint64_t requests() const { return reads + writes + trims + flushes; }
};

/// Reads the whole trace.
[[nodiscard]] TraceSummary summarize(const TraceOptions& options);

}  // namespace solidtlm::testbench
