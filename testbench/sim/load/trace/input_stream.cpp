// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/input_stream.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "testbench/sim/host/request.h"
#include "testbench/sim/process/child.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kBlockBytes = 262'144;
constexpr std::size_t kLongestLine = 67'108'864;  ///< anything longer is not a text trace

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
    throw InputError(path + ": " + reason);
}

/// Errors of the file system have an errno value; those of the decompressor have none, or EILSEQ.
std::string archive_reason(archive* handle) {
    const char* text = archive_error_string(handle);
    const int code = archive_errno(handle);
    const bool from_system = code > 0 && code != EILSEQ;
    return std::string("cannot be read: ") +
           (from_system ? "" : "compressed data is truncated or corrupt: ") +
           (text != nullptr ? text : "unknown error");
}

void check_is_readable_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error && status.type() != std::filesystem::file_type::not_found) {
        fail(path, "cannot be opened: " + error.message());
    }
    if (status.type() == std::filesystem::file_type::not_found) {
        fail(path, "no such file");
    }
    if (status.type() == std::filesystem::file_type::directory) {
        fail(path, "is a directory, expected a trace file");
    }
}

}  // namespace

void InputStream::CloseArchive::operator()(archive* handle) const {
    archive_read_free(handle);
}

/// A program whose standard output is read.
struct InputStream::Program {
    Child child;
    Descriptor output;
    std::string not_found;

    /// Waits until it ends. Throws InputError unless it succeeded.
    void check(const std::string& path) {
        const std::string end = child.wait();
        if (!child.succeeded()) {
            fail(path, end == "exit code " + std::to_string(kNotFound)
                           ? not_found
                           : "cannot be read: the program that makes text of it: " + end);
        }
    }
};

archive* InputStream::begin() {
    archive_.reset(archive_read_new());
    archive* handle = archive_.get();
    archive_read_support_filter_gzip(handle);
    archive_read_support_filter_bzip2(handle);
    archive_read_support_filter_xz(handle);
    archive_read_support_filter_zstd(handle);
    archive_read_support_filter_lz4(handle);
    archive_read_support_format_raw(handle);
    archive_read_support_format_empty(handle);
    return handle;
}

InputStream::InputStream(std::string path) : path_(std::move(path)), buffer_(kBlockBytes) {
    check_is_readable_file(path_);
    archive* handle = begin();
    if (archive_read_open_filename(handle, path_.c_str(), kBlockBytes) != ARCHIVE_OK) {
        const int code = archive_errno(handle);
        if (code == EACCES || code == ENOENT || code == EPERM) {
            fail(path_, "cannot be opened: " + std::generic_category().message(code));
        }
        fail(path_, archive_reason(handle));
    }
    read_header();
}

InputStream::InputStream(std::string path, const std::vector<std::string>& program, std::string not_found)
    : path_(std::move(path)), program_(std::make_shared<Program>()), buffer_(kBlockBytes) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail(path_, "cannot be read: " + std::generic_category().message(errno));
    }
    program_->not_found = std::move(not_found);
    program_->output.reset(ends[0]);
    Descriptor input(ends[1]);
    program_->child.start(program, {}, {}, input.get());
    input.reset();
    archive* handle = begin();
    if (archive_read_open_fd(handle, program_->output.get(), kBlockBytes) != ARCHIVE_OK) {
        program_->check(path_);
        fail(path_, archive_reason(handle));
    }
    read_header();
}

void InputStream::read_header() {
    archive* handle = archive_.get();
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(handle, &entry);
    if (result == ARCHIVE_EOF) {
        if (program_) {
            program_->check(path_);
        }
        fail(path_, "is empty");
    }
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
        fail(path_, archive_reason(handle));
    }
    if (!fill()) {
        fail(path_, "is empty");
    }
}

InputStream::InputStream(std::string path, std::string_view contents)
    : path_(std::move(path)),
      buffer_(contents.begin(), contents.end()),
      end_(contents.size()),
      at_end_(true) {}

bool InputStream::fill() {
    if (at_end_) {
        return false;
    }
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        if (buffer_.size() >= kLongestLine) {
            fail(path_,
                 "line " + std::to_string(line_number_ + 1) + " is longer than 64 MiB: not a text trace");
        }
        buffer_.resize(buffer_.size() * 2);
    }
    const la_ssize_t got = archive_read_data(archive_.get(), buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0) {
        fail(path_, archive_reason(archive_.get()));
    }
    end_ += static_cast<std::size_t>(got);
    at_end_ = got == 0;
    if (at_end_ && program_) {
        program_->check(path_);
    }
    return got > 0;
}

void InputStream::consume(std::size_t bytes) {
    begin_ += bytes;
    consumed_ += bytes;
}

bool InputStream::next_line(std::string_view& line) {
    std::size_t searched = 0;
    while (true) {
        const char* start = buffer_.data() + begin_;
        const std::size_t available = end_ - begin_;
        const void* found =
            available > searched ? std::memchr(start + searched, '\n', available - searched) : nullptr;
        std::size_t length = available;
        if (found != nullptr) {
            length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
        } else {
            searched = available;
            if (fill()) {
                continue;
            }
            if (available == 0) {
                return false;
            }
        }
        line = std::string_view(buffer_.data() + begin_, length);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        consume(length + (found != nullptr ? 1 : 0));
        ++line_number_;
        return true;
    }
}

std::string_view InputStream::peek(std::size_t bytes) {
    while (end_ - begin_ < bytes && fill()) {
    }
    return {buffer_.data() + begin_, std::min(bytes, end_ - begin_)};
}

std::string_view InputStream::read(std::size_t bytes) {
    const std::string_view data = peek(bytes);
    line_number_ += static_cast<std::uint64_t>(std::count(data.begin(), data.end(), '\n'));
    consume(data.size());
    return data;
}

void InputStream::skip(std::uint64_t bytes) {
    while (bytes > 0) {
        const std::string_view data = read(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 4096)));
        if (data.empty()) {
            return;
        }
        bytes -= data.size();
    }
}

}  // namespace solidtlm::testbench
