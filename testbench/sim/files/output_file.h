// SPDX-License-Identifier: Apache-2.0
//
// Result files that are either complete or absent.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace solidtlm::testbench {

/// Results could not be written. The text names the file and the operating system's reason. Exit code 1.
class OutputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Writes `contents` to a new file beside `path`, flushes it to the disk, and renames it to `path`: a reader
/// sees the old file or the new one, never half of it. Every step is checked, up to close(). A symbolic link
/// is followed. If `path` exists and is not a regular file (a pipe, a terminal, /dev/null), it is written to
/// directly. Throws OutputError ("cannot write FILE: No space left on device") and then leaves no new file.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// Creates the folder if necessary and checks that files can be written in it. `keep`: a folder that was
/// created stays. Throws OutputError.
void prepare_output_folder(const std::filesystem::path& folder, bool keep = true);

/// Throws the OutputError for `error`, a value of errno.
[[noreturn]] void fail_output(const std::filesystem::path& path, int error);
constexpr unsigned kOutputFileMode = 0666;  ///< before the user's umask is applied
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);
/// A name that no other file of `folder` has.
[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& folder);

}  // namespace solidtlm::testbench
