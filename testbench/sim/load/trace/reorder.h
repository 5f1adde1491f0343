// SPDX-License-Identifier: Apache-2.0
//
// Sorts the records of formats that are only roughly in time order (per-CPU buffers, several threads writing
// one log), within a window of records. Records with equal times stay in the file's order.
//
// A record that is too late for the window takes the time of the record returned before it; so does a record
// whose time is more than kLongestSpan after the first (a clock that jumped). Both count as clamped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fw/hal/horizon.h"
#include "testbench/sim/load/trace/reader.h"

namespace solidtlm::testbench {

/// Longest trace that a simulation can hold.
constexpr auto kLongestSpanNs = static_cast<std::uint64_t>(hal::kHorizon.count() / 1000);

class ReorderWindow final : public TraceReader {
  public:
    static constexpr std::size_t kRecords = 4096;

    explicit ReorderWindow(std::unique_ptr<TraceReader> reader, std::size_t records = kRecords);

    bool read(TraceRecord& record) override;
    [[nodiscard]] std::string where(std::uint64_t line) const override { return reader_->where(line); }
    [[nodiscard]] const std::vector<std::string>& devices() const override { return reader_->devices(); }

  private:
    struct Entry {
        std::uint64_t time_ns;
        std::uint64_t sequence;
        std::size_t slot;
    };
    static bool later(const Entry& a, const Entry& b) {
        return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
    }
    void read_into(std::size_t slot);

    std::unique_ptr<TraceReader> reader_;
    std::vector<TraceRecord> slots_;
    std::vector<Entry> heap_;
    std::uint64_t next_sequence_ = 0;
    std::uint64_t latest_read_ns_ = 0;
    std::uint64_t first_ns_ = 0;
    std::uint64_t last_ns_ = 0;
    std::uint64_t given_ = 0;
    std::uint64_t reordered_ = 0;
    std::uint64_t clamped_ = 0;
    std::size_t window_;
};

}  // namespace solidtlm::testbench
