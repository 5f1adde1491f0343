// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that its destructor closes if close() was not called.
class Descriptor {
  public:
    Descriptor(const fs::path& path, int flags)
        : value_(::open(path.c_str(), flags | O_CLOEXEC, kOutputFileMode)) {}
    ~Descriptor() { (void)close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] bool is_open() const { return value_ >= 0; }
    [[nodiscard]] int value() const { return value_; }
    /// False with errno set if a delayed write failed.
    [[nodiscard]] bool close() {
        const int value = std::exchange(value_, -1);
        return value < 0 || ::close(value) == 0;
    }

  private:
    int value_;
};

/// Removes a file in its destructor, unless the file is to be kept.
class Leftover {
  public:
    explicit Leftover(fs::path path) : path_(std::move(path)) {}
    ~Leftover() {
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
    Leftover(const Leftover&) = delete;
    Leftover& operator=(const Leftover&) = delete;
    void keep() { path_.clear(); }

  private:
    fs::path path_;
};

/// 0, or the error of the first step that failed.
int write_and_close(Descriptor& file, std::string_view contents, bool to_disk) {
    while (!contents.empty()) {
        const ssize_t written = ::write(file.value(), contents.data(), contents.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        contents.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    if (to_disk && ::fsync(file.value()) != 0) {
        return errno;
    }
    return file.close() ? 0 : errno;
}

}  // namespace

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void fail_output(const fs::path& path, int error) {
    throw OutputError("cannot write " + path.string() + ": " + std::generic_category().message(error));
}

fs::path temporary_name(const fs::path& folder) {
    static std::atomic<unsigned> count{0};
    return folder / (".solidtlm-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) {
        fail_output(path, EISDIR);
    }
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        Descriptor file(path, O_WRONLY);
        if (const int failure = file.is_open() ? write_and_close(file, contents, false) : errno;
            failure != 0) {
            fail_output(path, failure);
        }
        return;
    }
    const fs::path target = fs::exists(status) ? fs::canonical(path, error) : path;
    const fs::path temporary = temporary_name(folder_of(target));
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.is_open()) {
        fail_output(path, errno);
    }
    Leftover leftover(temporary);
    if (const int failure = write_and_close(file, contents, true); failure != 0) {
        fail_output(path, failure);
    }
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
        fail_output(path, errno);
    }
    leftover.keep();
}

void prepare_output_folder(const fs::path& folder, bool keep) {
    std::error_code error;
    std::vector<fs::path> missing;  // the innermost first
    for (fs::path each = fs::absolute(folder); !fs::exists(each, error) && each.has_relative_path();
         each = each.parent_path()) {
        missing.push_back(each);
    }
    fs::create_directories(folder, error);
    if (error && !fs::is_directory(folder)) {
        throw OutputError("cannot create folder " + folder.string() + ": " + error.message());
    }
    const fs::path probe = temporary_name(folder);
    Descriptor file(probe, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.is_open()) {
        throw OutputError("cannot write into folder " + folder.string() + ": " +
                          std::generic_category().message(errno));
    }
    fs::remove(probe, error);
    if (!keep) {
        for (const fs::path& each : missing) {
            fs::remove(each, error);
        }
    }
}

}  // namespace solidtlm::testbench
