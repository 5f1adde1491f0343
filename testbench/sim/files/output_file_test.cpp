// SPDX-License-Identifier: Apache-2.0
//
// A result file is complete or absent, even if the disk fails.
#include "testbench/sim/files/output_file.h"
#include "fw/testing/files.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
  protected:
    /// The error of write_file_atomically(); empty if it succeeds.
    static std::string complaint(const fs::path& path, std::string_view contents) {
        try {
            write_file_atomically(path, contents);
        } catch (const OutputError& error) {
            return error.what();
        }
        return {};
    }
    static std::size_t files_in(const fs::path& folder) {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    TemporaryFolder folder_;
};

TEST_F(OutputFile, IsWrittenAndReplacedAsAWhole) {
    const fs::path path = folder_ / "result.json";
    EXPECT_EQ(complaint(path, "first"), "");
    EXPECT_EQ(read_file(path), "first");
    const std::string large(5'000'000, 'x');
    EXPECT_EQ(complaint(path, large), "");
    EXPECT_EQ(read_file(path), large);
    EXPECT_EQ(complaint(path, ""), "");
    EXPECT_EQ(read_file(path), "");
    EXPECT_EQ(files_in(folder_.path()), 1U) << "no temporary files stay";
}

TEST_F(OutputFile, HasTheUsersPermissionsAndNotThoseOfATemporaryFile) {
    const mode_t previous = ::umask(027);
    EXPECT_EQ(complaint(folder_ / "file", "x"), "");
    ::umask(previous);
    EXPECT_EQ(fs::status(folder_ / "file").permissions(), static_cast<fs::perms>(0640));
}

TEST_F(OutputFile, FollowsASymbolicLink) {
    fs::create_directory(folder_ / "real");
    write_file_atomically(folder_ / "real" / "file", "old");
    fs::create_symlink(folder_ / "real" / "file", folder_ / "link");
    EXPECT_EQ(complaint(folder_ / "link", "new"), "");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "real" / "file"), "new");
}

TEST_F(OutputFile, ReportsMistakesInThePath) {
    EXPECT_EQ(complaint(folder_.path(), "x"), "cannot write " + folder_.path().string() + ": Is a directory");
    const fs::path missing = folder_ / "none" / "file";
    EXPECT_EQ(complaint(missing, "x"), "cannot write " + missing.string() + ": No such file or directory");
    write_file_atomically(folder_ / "file", "x");
    const fs::path below = folder_ / "file" / "sub";
    EXPECT_EQ(complaint(below, "x"), "cannot write " + below.string() + ": Not a directory");
}

TEST_F(OutputFile, ReportsAFullDeviceAndLeavesTheDeviceAlone) {
    struct stat before {};
    ASSERT_EQ(::stat("/dev/full", &before), 0);
    EXPECT_EQ(complaint("/dev/full", "x"), "cannot write /dev/full: No space left on device");
    struct stat after {};
    ASSERT_EQ(::stat("/dev/full", &after), 0);
    EXPECT_TRUE(S_ISCHR(after.st_mode));
    EXPECT_EQ(before.st_ino, after.st_ino) << "not replaced by a file";
    EXPECT_EQ(complaint("/dev/null", "x"), "");
}

TEST_F(OutputFile, WritesIntoAPipe) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = read_file(pipe); });
    const std::string contents(200'000, 'p');
    EXPECT_EQ(complaint(pipe, contents), "");
    reader.join();
    EXPECT_EQ(received, contents);
    EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFile, KeepsTheOldFileWhenTheNewOneDoesNotFit) {
    const fs::path path = folder_ / "result.json";
    write_file_atomically(path, "old");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit previous{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &previous), 0);
    const rlimit small{1000, previous.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = complaint(path, std::string(5000, 'x'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &previous), 0);
    EXPECT_EQ(message, "cannot write " + path.string() + ": File too large");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files_in(folder_.path()), 1U) << "the half-written file is gone";
}

TEST_F(OutputFile, ReportsAFullDiskAndKeepsTheOldFile) {
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
        GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
    const fs::path path = folder_ / "result.json";
    EXPECT_EQ(complaint(path, "old"), "");
    EXPECT_EQ(complaint(path, std::string(100'000, 'x')),
              "cannot write " + path.string() + ": No space left on device");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files_in(folder_.path()), 1U);
    EXPECT_EQ(::umount(folder_.path().c_str()), 0);
}

}  // namespace
}  // namespace solidtlm::testbench
