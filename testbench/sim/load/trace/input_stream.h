// SPDX-License-Identifier: Apache-2.0
//
// A trace file as a stream of lines or bytes: plain or compressed (xz, zstd, gzip, bzip2, lz4), recognised by
// its contents.
//
// It uses a bounded buffer; a line costs one memchr and no copy. Every problem of the file itself (missing, a
// directory, empty, truncated, corrupt) is an InputError with the path and the problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace solidtlm::testbench {

class InputStream {
  public:
    /// Opens the file. Throws InputError.
    explicit InputStream(std::string path);
    /// A stream over a copy of text in memory; `path` is only its name in messages.
    InputStream(std::string path, std::string_view contents);
    /// Reads the standard output of a program; `path` is the file that the program reads. `not_found`: the
    /// message if the program ends with kNotFound (testbench/sim/process/child.h).
    InputStream(std::string path, const std::vector<std::string>& program, std::string not_found);

    /// Reads the next line without its end (LF or CR LF). The view is valid until the next call. False at the
    /// end.
    bool next_line(std::string_view& line);
    /// Number of the last line that next_line() returned, in the decompressed text, from 1.
    [[nodiscard]] std::uint64_t line_number() const { return line_number_; }

    /// Up to `bytes` bytes from the current position, fewer only at the end. They are not consumed.
    std::string_view peek(std::size_t bytes);
    /// Like peek(), and consumes the bytes. The view is valid until the next call. Line ends in it are
    /// counted.
    std::string_view read(std::size_t bytes);
    /// Skips `bytes` bytes, or to the end.
    void skip(std::uint64_t bytes);

    /// Bytes consumed so far, decompressed.
    [[nodiscard]] std::uint64_t offset() const { return consumed_; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    struct CloseArchive {
        void operator()(archive* handle) const;
    };

    struct Program;

    [[nodiscard]] archive* begin();
    void read_header();
    bool fill();  ///< appends bytes to the buffer; false at the end of the file
    void consume(std::size_t bytes);

    std::string path_;
    std::shared_ptr<Program> program_;  ///< null: reads a file
    std::unique_ptr<archive, CloseArchive> archive_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< first byte not consumed
    std::size_t end_ = 0;    ///< end of the bytes in the buffer
    bool at_end_ = false;
    std::uint64_t consumed_ = 0;
    std::uint64_t line_number_ = 0;
};

}  // namespace solidtlm::testbench
