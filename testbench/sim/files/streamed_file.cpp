// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/streamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "testbench/sim/files/output_file.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

}  // namespace

StreamedFile::StreamedFile(fs::path path) : path_(std::move(path)), target_(path_) {
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    direct_ = fs::exists(status) && !fs::is_regular_file(status);
    if (direct_) {
        file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        if (fs::exists(status)) {
            target_ = fs::canonical(path_, error);
        }
        file_ = ::open(folder_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kOutputFileMode);
        if (file_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
            temporary_ = temporary_name(folder_of(target_));
            file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOutputFileMode);
        }
    }
    if (file_ < 0) {
        fail_output(path_, errno);
    }
    buffer_.reserve(2 * kBufferBytes);
}

StreamedFile::~StreamedFile() {
    if (file_ >= 0) {
        ::close(file_);
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void StreamedFile::write(std::string_view text) {
    if (error_ != 0) {
        return;
    }
    if (buffer_.empty() && text.size() >= kBufferBytes) {
        put(text);
        return;
    }
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) {
        flush();
    }
}

void StreamedFile::flush() {
    put(buffer_);
    buffer_.clear();
}

void StreamedFile::put(std::string_view rest) {
    while (!rest.empty() && error_ == 0) {
        const ssize_t written = ::write(file_, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            error_ = errno;
        }
        rest.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

void StreamedFile::finish() {
    flush();
    if (error_ == 0 && !direct_ && ::fsync(file_) != 0) {
        error_ = errno;
    }
    if (error_ == 0 && !direct_ && temporary_.empty()) {  // give the nameless file a name
        const fs::path name = temporary_name(folder_of(target_));
        const std::string self = "/proc/self/fd/" + std::to_string(file_);
        if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
            error_ = errno;
        } else {
            temporary_ = name;
        }
    }
    if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) {
        error_ = errno;
    }
    if (error_ == 0 && !direct_ && ::rename(temporary_.c_str(), target_.c_str()) != 0) {
        error_ = errno;
    }
    if (error_ != 0) {
        fail_output(path_, error_);
    }
    temporary_.clear();
}

}  // namespace solidtlm::testbench
