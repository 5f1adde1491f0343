// SPDX-License-Identifier: Apache-2.0
//
// A result file that is written while the simulation runs: complete or absent, like those of output_file.h,
// but never in memory as a whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

class StreamedFile {
  public:
    /// Opens a nameless file beside `path`, or a temporary one if the file system has no nameless files. If
    /// `path` exists and is not a regular file, it is written to directly. Throws OutputError.
    explicit StreamedFile(std::filesystem::path path);
    /// Without finish(), no file stays.
    ~StreamedFile();
    StreamedFile(const StreamedFile&) = delete;
    StreamedFile& operator=(const StreamedFile&) = delete;

    /// Never throws, so a process of the model may call it. After an error, nothing more is written.
    void write(std::string_view text);
    /// Moves the file to its place. Throws OutputError if that, or any write before, failed.
    void finish();

  private:
    static constexpr std::size_t kBufferBytes = 1U << 16U;

    void flush();
    void put(std::string_view rest);

    std::filesystem::path path_;
    std::filesystem::path target_;     ///< where a symbolic link leads to
    std::filesystem::path temporary_;  ///< empty: the file is nameless, or `path` is written to directly
    bool direct_ = false;
    int file_ = -1;
    int error_ = 0;
    std::string buffer_;
};

}  // namespace solidtlm::testbench
