// SPDX-License-Identifier: Apache-2.0
//
// Tables that are written line by line during a run: comma-separated values, optionally compressed.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/files/streamed_file.h"
#include "testbench/files/zstd_stream.h"
#include "testbench/record/decimal.h"

namespace solidtlm::testbench {

/// Lines are written where they stay until many of them leave together.
class TableFile {
  public:
    /// Compressed where the name ends with .zst. Throws OutputError.
    TableFile(const std::filesystem::path& path, std::string_view heading);
    ~TableFile();
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    /// Puts the file in its place. Throws OutputError.
    void finish();

  private:
    friend class TableLine;
    static constexpr std::size_t kBatchBytes = std::size_t{1} << 16U;

    /// Where the next line goes: room for the longest one.
    [[nodiscard]] char* next_line() { return lines_.data() + used_; }
    void line_ends_at(const char* end) {
        used_ = static_cast<std::size_t>(end - lines_.data());
        if (used_ >= kBatchBytes) {
            hand_over();
        }
    }
    void hand_over();

    StreamedFile file_;
    std::unique_ptr<ZstdOutput> compressed_;  ///< on its way to file_; null: not compressed
    std::vector<char> lines_;
    std::size_t used_ = 0;  ///< of lines_
};

/// A line as it grows. It is in the table when it has ended.
class TableLine {
  public:
    static constexpr std::size_t kMostColumns = 64;
    static constexpr std::size_t kCellBytes = kDecimalBytes + 1;  ///< with its comma

    explicit TableLine(TableFile& file) : file_(file), at_(file.next_line()) {}

    /// Whole numbers, truth values and times.
    template <class... Values>
    void numbers(const Values&... values) {
        char* at = at_;  // bytes may alias a member: it would be stored and loaded for each of them
        ((at = put(at, number_of(values))), ...);
        at_ = at;
    }
    /// value_of(0) ... value_of(count - 1), most of them zero.
    template <class ValueOf>
    void numbers_of(std::size_t count, ValueOf value_of) {
        constexpr std::size_t kTogether = kZeros.size() / 2;
        char* at = at_;
        std::size_t i = 0;
        for (; i + kTogether <= count; i += kTogether) {
            std::array<std::uint64_t, kTogether> values;
            std::uint64_t any = 0;
            for (std::size_t k = 0; k < kTogether; ++k) {
                any |= values[k] = number_of(value_of(i + k));
            }
            if (any == 0) {
                std::memcpy(at, kZeros.data(), kZeros.size());
                at += kZeros.size();
                continue;
            }
            for (const std::uint64_t value : values) {
                at = put(at, value);
            }
        }
        for (; i < count; ++i) {
            at = put(at, number_of(value_of(i)));
        }
        at_ = at;
    }
    /// Appends at most kCellBytes - 1 bytes of `value`.
    void text(std::string_view value) {
        at_ += value.copy(at_, kCellBytes - 1);
        *at_++ = ',';
    }
    /// The last comma becomes the end of the line.
    void end() {
        at_[-1] = '\n';
        file_.line_ends_at(at_);
    }

  private:
    static constexpr std::string_view kZeros = "0,0,0,0,";

    static std::uint64_t number_of(std::uint64_t value) { return value; }
    static std::uint64_t number_of(hal::Ps value) { return static_cast<std::uint64_t>(value.count()); }
    static char* put(char* at, std::uint64_t value) {
        at = put_decimal(at, value);
        *at = ',';
        return at + 1;
    }

    TableFile& file_;
    char* at_;
};

}  // namespace solidtlm::testbench
