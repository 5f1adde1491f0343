// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/magic.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {
namespace {

using namespace std::string_view_literals;

struct Magic {
    std::string_view bytes;
    std::string_view what;  ///< the kind of file, and what to do with it
};
constexpr std::array kNoTraces{
    Magic{"PK\3\4"sv, "a ZIP archive; unpack it (unzip) and name the trace in it"},
    Magic{"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive; unpack it (7z x) and name the trace in it"},
    Magic{"Rar!\x1a\x07"sv, "a RAR archive; unpack it and name the trace in it"},
    Magic{"version https://git-lfs"sv,
          "a pointer of Git LFS, not the file that it stands for; get that with git lfs pull"},
    Magic{"PERFILE2"sv, "a recording of perf; perf script makes text of it"},
    Magic{"\x17\x08\x44tracing"sv, "a recording of trace-cmd; trace-cmd report makes text of it"},
    Magic{"PAR1"sv, "a Parquet file; write its columns as CSV"},
    Magic{"<!DOCTYPE"sv, "a web page; the download gave a page about the trace, or an error"},
    Magic{"<html"sv, "a web page; the download gave a page about the trace, or an error"}};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::array kRawBlktrace{"\x07tae"sv, "eat\x07"sv};  ///< version 7 of either byte order

bool is_utf16(std::string_view first) {
    if (first.size() < 8 || (!first.starts_with("\xff\xfe") && !first.starts_with("\xfe\xff"))) {
        return false;
    }
    const std::size_t low = first.front() == '\xff' ? 0 : 1;  // position of the low byte in each pair
    const auto is_text = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; };
    for (std::size_t i = 2; i < 8; i += 2) {
        if (first[i + 1 - low] != '\0' || !is_text(first[i + low])) {
            return false;
        }
    }
    return true;
}

bool is_raw_blktrace(std::string_view first) {
    return std::ranges::any_of(kRawBlktrace, [first](auto magic) { return first.starts_with(magic); });
}

InputStream through_blkparse(const std::string& path) {
    std::array<char, 4> first{};
    std::ifstream(path, std::ios::binary).read(first.data(), first.size());
    if (!is_raw_blktrace({first.data(), first.size()})) {
        throw InputError(path + ": is compressed raw blktrace; unpack it, or make text of it with blkparse");
    }
    return {
        path,
        {"sh", "-c", "command -v blkparse >/dev/null || exit 127; exec blkparse -q -i - <\"$1\"", "sh", path},
        "is raw blktrace, which only blkparse reads, and blkparse is not installed (package blktrace); "
        "install it, or make text of the trace elsewhere: blkparse -i " +
            path};
}

}  // namespace

InputStream open_trace_file(const std::string& path) {
    InputStream input(path);
    const std::string_view first = input.peek(32);
    const auto known = std::ranges::find_if(
        kNoTraces, [first](const Magic& magic) { return first.starts_with(magic.bytes); });
    if (known != kNoTraces.end()) {
        throw InputError(path + ": is " + std::string(known->what));
    }
    if (is_utf16(first)) {
        throw InputError(path + ": is text in UTF-16; make UTF-8 of it: iconv -f UTF-16 -t UTF-8");
    }
    if (is_raw_blktrace(first)) {
        return through_blkparse(path);
    }
    if (first.starts_with(kByteOrderMark)) {
        input.skip(kByteOrderMark.size());
    }
    return input;
}

}  // namespace solidtlm::testbench
