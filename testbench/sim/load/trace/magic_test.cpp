// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/magic.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

using namespace std::string_view_literals;

TEST(Magic, IdentifiesFilesThatMustBeConverted) {
    const std::pair<std::string_view, const char*> cases[] = {
        {"PK\3\4\24\0\0\0\10\0"sv, "FILE: is a ZIP archive; unpack it (unzip) and name the trace in it"},
        {"7z\xbc\xaf\x27\x1c\0\4"sv, "FILE: is a 7-Zip archive; unpack it (7z x) and name the trace in it"},
        {"Rar!\x1a\x07\1\0"sv, "FILE: is a RAR archive; unpack it and name the trace in it"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"sv,
         "FILE: is a pointer of Git LFS, not the file that it stands for; get that with git lfs pull"},
        {"PERFILE2\0\0"sv, "FILE: is a recording of perf; perf script makes text of it"},
        {"\x17\x08\x44tracing\x36\0"sv,
         "FILE: is a recording of trace-cmd; trace-cmd report makes text of it"},
        {"PAR1\x15\4"sv, "FILE: is a Parquet file; write its columns as CSV"},
        {"<!DOCTYPE html>\n"sv, "FILE: is a web page; the download gave a page about the trace, or an error"},
        {"\xff\xfe\x31\0\x20\0R\0\n\0"sv,
         "FILE: is text in UTF-16; make UTF-8 of it: iconv -f UTF-16 -t UTF-8"},
        {"\xfe\xff\0\x31\0\x20\0R\0\n"sv,
         "FILE: is text in UTF-16; make UTF-8 of it: iconv -f UTF-16 -t UTF-8"}};
    for (const auto& [contents, message] : cases) {
        EXPECT_EQ(error_of(contents), message);
        EXPECT_EQ(error_of(contents, with_format("nbd")), message) << "with --format, too";
    }
    std::string tar(600, '\0');
    tar.replace(0, 8, "a.trace\n");
    tar.replace(257, 5, "ustar");
    EXPECT_EQ(error_of(tar), "FILE: is a tar archive; unpack it (tar xf) and name the trace in it");
}

TEST(Magic, ByteOrderMarkIsPassedOver) {
    EXPECT_EQ(requests_of("\xef\xbb\xbf"
                          "1 R 0 8\n3 R 8 8\n"),
              (Lines{"0 R 0+8", "2000000 R 8+8"}));
}

/// A folder at the beginning of PATH, in which blkparse is this script.
class Blkparse {
  public:
    explicit Blkparse(const std::string& script) : path_(std::getenv("PATH")) {
        folder_ = testing::TempDir() + "solidtlm_blkparse_" + std::to_string(getpid());
        std::filesystem::create_directories(folder_);
        const std::string file = folder_ + "/blkparse";
        std::ofstream(file) << "#!/bin/sh\n" << script;
        chmod(file.c_str(), 0755);
        setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
    }
    ~Blkparse() {
        setenv("PATH", path_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    Blkparse(const Blkparse&) = delete;
    Blkparse& operator=(const Blkparse&) = delete;

  private:
    std::string path_;
    std::string folder_;
};

constexpr std::string_view kRaw = "\x07tae\1\0\0\0"sv;

TEST(Magic, RawBlktraceGoesThroughBlkparse) {
    {
        const Blkparse blkparse(
            "[ \"$*\" = '-q -i -' ] || exit 3\n"
            "head -c 4 | tail -c 3 | grep -q tae || exit 4\n"
            "echo '8,0 0 1 0.000001 1 D R 64 + 8 [x]'\n");
        EXPECT_EQ(requests_of(kRaw), Lines{"0 R 64+8"});
        TraceOptions scaled;
        scaled.fit = Fit::scale;  // reads the trace twice
        scaled.device_sectors = 40;
        EXPECT_EQ(requests_of(kRaw, scaled), Lines{"0 R 32+8"}) << "page 8 of 9 is page 4 of 5";
    }
    const Blkparse failing("exit 5\n");
    EXPECT_EQ(error_of(kRaw), "FILE: cannot be read: the program that makes text of it: exit code 5");
}

TEST(Magic, RawBlktraceWithoutBlkparseNamesThePackage) {
    const std::string path = std::getenv("PATH");
    const std::string folder = testing::TempDir() + "solidtlm_no_blkparse_" + std::to_string(getpid());
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink("/bin/sh", folder + "/sh");
    setenv("PATH", folder.c_str(), 1);
    const std::string error = error_of(kRaw);
    setenv("PATH", path.c_str(), 1);
    std::filesystem::remove_all(folder);
    EXPECT_EQ(error,
              "FILE: is raw blktrace, which only blkparse reads, and blkparse is not installed (package "
              "blktrace); install it, or make text of the trace elsewhere: blkparse -i FILE");
}

}  // namespace
}  // namespace solidtlm::testbench
