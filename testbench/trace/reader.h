// SPDX-License-Identifier: Apache-2.0
//
// What every trace format gives: one record after the other, in the order and with the times of the file.
// Putting them in order, making times relative and fitting addresses to a device is common to all formats and
// done behind the readers (trace.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/host/request.h"
#include "testbench/trace/input_stream.h"

namespace solidtlm::testbench {

struct TraceRecord {
    std::uint64_t time_ns = 0;  ///< of the file's own clock
    std::uint64_t line = 0;     ///< line, or record number of a binary trace, from 1
    Request request;            ///< arrival is not filled in
};

/// What a reader met besides requests.
struct TraceCounts {
    std::uint64_t skipped = 0;       ///< commands that are no read, write, trim or flush
    std::uint64_t other_device = 0;  ///< requests to a device that was not asked for
    std::uint64_t write_zeroes = 0;  ///< write-zeroes commands, given as writes of zero blocks
    std::uint64_t reordered = 0;     ///< records put in time order
    std::uint64_t clamped = 0;       ///< records whose time could not be kept, see ReorderWindow
};

class TraceReader {
  public:
    virtual ~TraceReader() = default;
    /// Fills `record` (what it held before is dropped), false at the end. Throws InputError.
    virtual bool read(TraceRecord& record) = 0;
    /// "path:line", for messages about a record read before.
    [[nodiscard]] virtual std::string where(std::uint64_t line) const = 0;
    [[nodiscard]] const TraceCounts& counts() const { return counts_; }

  protected:
    TraceCounts counts_;  // NOLINT(readability-identifier-naming): for the readers
};

/// Common to the text formats.
class TextReader : public TraceReader {
  public:
    /// Keeps requests to `device` only (the format's device field as text), all when it is empty.
    TextReader(InputStream input, std::string device);
    [[nodiscard]] std::string where(std::uint64_t line) const override;

  protected:
    InputStream& input() { return input_; }
    /// The next line that is neither empty nor a '#' comment.
    bool next_line(std::string_view& line);
    /// Prepares `record` for a request of the current line.
    void start(TraceRecord& record, Operation operation) const;
    /// Whether the request is to be kept; counts it otherwise.
    bool wanted(std::string_view device);

    [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
    // Checked numbers: InputError when the field is not what is expected.
    std::uint64_t number(std::string_view field, std::string_view expected) const;
    std::uint64_t time(std::string_view field, std::uint64_t unit_ns, std::string_view expected) const;
    /// Address and length of a read, write or (as a further range) trim, checked.
    void set_sectors(Request& request, std::uint64_t lba, std::uint64_t sectors) const;
    /// The same in bytes, widened to whole sectors.
    void set_bytes(Request& request, std::uint64_t offset, std::uint64_t bytes) const;

  private:
    InputStream input_;
    std::string device_;
};

}  // namespace solidtlm::testbench
