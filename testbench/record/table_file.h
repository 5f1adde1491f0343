// SPDX-License-Identifier: Apache-2.0
//
// Tables that are written line by line during a run: comma-separated values, optionally compressed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "fw/hal/types.h"
#include "testbench/files/streamed_file.h"
#include "testbench/files/zstd_stream.h"
#include "testbench/record/decimal.h"

namespace solidtlm::testbench {

/// A line as it grows.
class TableLine {
  public:
    static constexpr std::size_t kMostColumns = 64;

    /// Whole numbers, truth values and times.
    template <class... Values>
    void numbers(const Values&... values) {
        char* at = at_;  // bytes may alias a member: it would be stored and loaded for each of them
        ((at = put(at, values)), ...);
        at_ = at;
    }
    /// value_of(0) ... value_of(count - 1).
    template <class ValueOf>
    void numbers_of(std::size_t count, ValueOf value_of) {
        char* at = at_;
        for (std::size_t i = 0; i < count; ++i) {
            at = put(at, value_of(i));
        }
        at_ = at;
    }
    /// Appends at most kCellBytes - 1 bytes of `value`.
    void text(std::string_view value) {
        at_ += value.copy(at_, kCellBytes - 1);
        *at_++ = ',';
    }
    /// The last comma becomes the end of the line.
    [[nodiscard]] std::string_view end() {
        at_[-1] = '\n';
        return {bytes_.data(), static_cast<std::size_t>(at_ - bytes_.data())};
    }

  private:
    static constexpr std::size_t kCellBytes = kDecimalBytes + 1;  ///< with its comma

    static char* put(char* at, std::uint64_t value) {
        at = put_decimal(at, value);
        *at = ',';
        return at + 1;
    }
    static char* put(char* at, hal::Ps value) { return put(at, static_cast<std::uint64_t>(value.count())); }

    std::array<char, kMostColumns * kCellBytes> bytes_;
    char* at_ = bytes_.data();
};

class TableFile {
  public:
    /// Compressed where the name ends with .zst. Throws OutputError.
    TableFile(const std::filesystem::path& path, std::string_view heading);
    ~TableFile();
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    void write(std::string_view line);
    /// Puts the file in its place. Throws OutputError.
    void finish();

  private:
    StreamedFile file_;
    std::unique_ptr<ZstdOutput> compressed_;  ///< on its way to file_; null: not compressed
};

}  // namespace solidtlm::testbench
