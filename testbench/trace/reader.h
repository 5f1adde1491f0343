// SPDX-License-Identifier: Apache-2.0
//
// The interface of every trace format: one record after the other, in the order and with the times of the
// file. Sorting, making times relative and fitting addresses to a device are common to all formats and done
// after the readers (trace.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/trace/input_stream.h"

namespace solidtlm::testbench {

struct TraceRecord {
    std::uint64_t time_ns = 0;  ///< of the file's own clock
    std::uint64_t line = 0;     ///< line, or record number of a binary trace, from 1
    std::uint32_t device = 0;   ///< index into TraceReader::devices()
    Request request;            ///< arrival is not filled in
};

/// What a reader met apart from requests.
struct TraceCounts {
    std::uint64_t skipped = 0;       ///< commands that are no read, write, trim or flush
    std::uint64_t other_device = 0;  ///< requests to a device that was not asked for
    std::uint64_t other_event = 0;   ///< the same requests at another point of their way, as queued
    std::uint64_t passed = 0;        ///< lines that tell no command: headings, remarks, events of other kinds
    std::uint64_t write_zeroes = 0;  ///< write-zeroes commands, given as writes of zero blocks
    std::uint64_t reordered = 0;     ///< records put in time order
    std::uint64_t clamped = 0;       ///< records whose time could not be kept, see ReorderWindow
};

/// What a reader needs to read a trace.
struct ReaderInput {
    InputStream stream;       ///< at its beginning
    std::string_view format;  ///< its name, for messages
    std::string device = {};  ///< keep requests to this one only (the format's device field); empty: all
    std::string action = {};  ///< the event that is a request, where a format tells several; empty: D
};

/// A field that is not what the format says.
class FieldError : public InputError {
  public:
    FieldError(const std::string& message, std::size_t right) : InputError(message), right_(right) {}
    /// Fields of the line that were right before it.
    [[nodiscard]] std::size_t right() const { return right_; }

  private:
    std::size_t right_;
};

class TraceReader {
  public:
    virtual ~TraceReader() = default;
    /// Fills `record` (what it held before is dropped), false at the end. Throws InputError; what follows can
    /// still be read.
    virtual bool read(TraceRecord& record) = 0;
    /// "path:line: format", for messages about a record read before.
    [[nodiscard]] virtual std::string where(std::uint64_t line) const = 0;
    /// Names of those met so far, also of those not asked for; empty: the format has none.
    [[nodiscard]] virtual const std::vector<std::string>& devices() const = 0;
    [[nodiscard]] const TraceCounts& counts() const { return counts_; }
    /// Lines up to now that are of this format without doubt.
    [[nodiscard]] std::uint64_t understood() const {
        return known_ + counts_.skipped + counts_.other_device + counts_.other_event;
    }

  protected:
    TraceCounts counts_;       // NOLINT(readability-identifier-naming): for the readers
    std::uint64_t known_ = 0;  // NOLINT(readability-identifier-naming): headings
};

/// Common to the text formats.
class TextReader : public TraceReader {
  public:
    /// Columns of the format are separated by `separator`, blank: by runs of blanks and tabs.
    explicit TextReader(ReaderInput input, char separator = ' ');
    [[nodiscard]] std::string where(std::uint64_t line) const override;
    [[nodiscard]] const std::vector<std::string>& devices() const override { return devices_; }

  protected:
    InputStream& input() { return input_.stream; }
    [[nodiscard]] const std::string& action() const { return input_.action; }
    /// The next line that is neither empty nor a '#' comment.
    bool next_line(std::string_view& line);
    /// Prepares `record` for a request of the current line, to the device that wanted() was asked for.
    void start(TraceRecord& record, Operation operation);
    /// A field of the current line is what it should be.
    void is_right() { ++right_; }
    /// Whether the request is to be kept; counts it otherwise.
    bool wanted(std::string_view device);

    /// `found`: a part of the current line, whose column the message names; if it is none, the column of the
    /// last field that was read.
    [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
    // Checked numbers: InputError when the field is not what is expected.
    std::uint64_t number(std::string_view field, std::string_view expected);
    std::uint64_t time(std::string_view field, std::uint64_t unit_ns, std::string_view expected);
    /// Address and length of a read, write or (as a further range) trim, checked.
    void set_sectors(Request& request, std::uint64_t lba, std::uint64_t sectors) const;
    /// The same in bytes, widened to whole sectors.
    void set_bytes(Request& request, std::uint64_t offset, std::uint64_t bytes) const;

  private:
    std::uint32_t number_of(std::string_view device);
    [[nodiscard]] std::size_t column_of(std::string_view field) const;

    ReaderInput input_;
    char separator_;
    std::string_view line_;   ///< the current one
    std::string_view field_;  ///< the last number that was read
    std::vector<std::string> devices_;
    std::map<std::string, std::uint32_t, std::less<>> device_numbers_;
    std::uint32_t device_ = 0;
    std::size_t right_ = 0;  ///< fields of the current line
};

}  // namespace solidtlm::testbench
