// SPDX-License-Identifier: Apache-2.0
//
// The interface of every trace format: one record after the other, in the order and with the times of the
// file. Sorting records, making times relative and fitting addresses to a device are done after the readers,
// for all formats alike (trace.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/trace/input_stream.h"

namespace solidtlm::testbench {

struct TraceRecord {
    std::uint64_t time_ns = 0;  ///< in the file's own clock
    std::uint64_t line = 0;     ///< line, or record number of a binary trace, from 1
    std::uint32_t device = 0;   ///< index into TraceReader::devices()
    bool zeroes = false;        ///< a write-zeroes command: the request is a write of zero blocks
    Request request;            ///< without its arrival
};

/// Things other than requests that a reader met.
struct TraceCounts {
    std::uint64_t skipped = 0;       ///< commands other than read, write, trim and flush
    std::uint64_t unknown = 0;       ///< requests whose letters for the operation the reader does not know
    std::uint64_t other_device = 0;  ///< requests to devices that were not selected
    std::uint64_t other_event = 0;   ///< other events of the same requests, such as being queued
    std::uint64_t passed = 0;        ///< lines without a command: headings, remarks, other kinds of events
    std::uint64_t reordered = 0;     ///< records that were sorted by time
    std::uint64_t clamped = 0;       ///< records whose time was changed, see ReorderWindow
};

/// What a reader needs to read a trace.
struct ReaderInput {
    InputStream stream;       ///< positioned at the trace's beginning
    std::string_view format;  ///< format's name in messages
    /// returns only requests to this device (the format's device field); empty: to all
    std::string device = {};
    std::string action = {};  ///< event that counts as the request, if a format has several; empty: D
};

/// A field that violates the format.
class FieldError : public InputError {
  public:
    using InputError::InputError;
};

class TraceReader {
  public:
    virtual ~TraceReader() = default;
    /// Fills `record` (its old contents are dropped); false at the end. Throws InputError; the following
    /// records can still be read.
    virtual bool read(TraceRecord& record) = 0;
    /// "path:line: format", for messages about an earlier record.
    [[nodiscard]] virtual std::string where(std::uint64_t line) const = 0;
    /// Names of all devices met so far, selected or not; empty: the format has no devices.
    [[nodiscard]] virtual const std::vector<std::string>& devices() const = 0;
    [[nodiscard]] const TraceCounts& counts() const { return counts_; }
    /// Lines so far that certainly have this format.
    [[nodiscard]] std::uint64_t understood() const {
        return known_ + counts_.skipped + counts_.other_device + counts_.other_event;
    }

  protected:
    TraceCounts counts_;       // NOLINT(readability-identifier-naming): for the readers
    std::uint64_t known_ = 0;  // NOLINT(readability-identifier-naming): headings
};

/// Functions shared by the text formats.
class TextReader : public TraceReader {
  public:
    /// `separator` separates the columns; a blank stands for runs of blanks and tabs.
    explicit TextReader(ReaderInput input, char separator = ' ');
    [[nodiscard]] std::string where(std::uint64_t line) const override;
    [[nodiscard]] const std::vector<std::string>& devices() const override { return devices_; }

  protected:
    InputStream& input() { return input_.stream; }
    [[nodiscard]] const std::string& action() const { return input_.action; }
    /// The next line that is neither empty nor a '#' comment.
    bool next_line(std::string_view& line);
    /// Prepares `record` for a request of the current line, to the last device passed to wanted().
    void start(TraceRecord& record, Operation operation);
    /// Whether the request is kept; otherwise counts it.
    bool wanted(std::string_view device);

    /// `found`: a part of the current line, whose column the message names. If it is not part of the line,
    /// the message names the column of the last field that was read.
    [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
    // Checked numbers. Throw InputError if the field is not the expected number.
    std::uint64_t number(std::string_view field, std::string_view expected);
    std::uint64_t time(std::string_view field, std::uint64_t unit_ns, std::string_view expected);
    /// Sets address and length of a read or write, or adds a range to a trim; both are checked.
    void set_sectors(Request& request, std::uint64_t lba, std::uint64_t sectors) const;
    /// As set_sectors(), with bytes, which are widened to whole sectors.
    void set_bytes(Request& request, std::uint64_t offset, std::uint64_t bytes) const;
    /// Makes a write, with its address and length, a write-zeroes command.
    static void set_zeroes(TraceRecord& record);

  private:
    std::uint32_t number_of(std::string_view device);
    [[nodiscard]] std::size_t column_of(std::string_view field) const;

    ReaderInput input_;
    char separator_;
    std::string_view line_;   ///< the current line
    std::string_view field_;  ///< the last number that was read
    std::vector<std::string> devices_;
    std::map<std::string, std::uint32_t, std::less<>> device_numbers_;
    std::uint32_t device_ = 0;
};

}  // namespace solidtlm::testbench
