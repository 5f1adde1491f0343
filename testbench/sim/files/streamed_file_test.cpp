// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/streamed_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "fw/testing/files.h"
#include "testbench/sim/files/output_file.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

class StreamedFileTest : public testing::Test {
  protected:
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
    }
    /// Writes `bytes` in pieces and finishes; returns the error, or an empty string.
    static std::string write(const fs::path& path, std::size_t bytes) {
        try {
            StreamedFile file(path);
            for (std::size_t done = 0; done < bytes; done += 100) {
                file.write(std::string(100, 'x'));
            }
            file.finish();
        } catch (const OutputError& error) {
            return error.what();
        }
        return {};
    }

    TemporaryFolder folder_;
};

TEST_F(StreamedFileTest, IsThereWhenItIsFinished) {
    const fs::path path = folder_ / "waves.vcd";
    write_file_atomically(path, "old");
    {
        StreamedFile file(path);
        for (int i = 0; i < 100'000; ++i) {
            file.write("0123456789");
        }
        EXPECT_EQ(read_file(path), "old");
        file.finish();
    }
    EXPECT_EQ(read_file(path).size(), 1'000'000U);
    EXPECT_EQ(read_file(path).substr(999'990), "0123456789");
    EXPECT_EQ(files(), 1U);
}

TEST_F(StreamedFileTest, KeepsPiecesOfAnySizeInOrder) {
    const fs::path path = folder_ / "waves.vcd";
    std::string all;
    StreamedFile file(path);
    for (const std::size_t size : {300'000, 7, 300'000, 300'000, 70'000, 1, 1, 65'536}) {
        const std::string piece(size, static_cast<char>('a' + all.size() % 26));
        file.write(piece);
        all += piece;
    }
    file.finish();
    EXPECT_TRUE(read_file(path) == all);
}

TEST_F(StreamedFileTest, LeavesNothingUnlessFinished) {
    {
        StreamedFile file(folder_ / "waves.vcd");
        file.write(std::string(1'000'000, 'x'));
    }
    EXPECT_EQ(files(), 0U);
}

TEST_F(StreamedFileTest, HasTheUsersPermissions) {
    const mode_t previous = ::umask(027);
    EXPECT_EQ(write(folder_ / "file", 10), "");
    ::umask(previous);
    EXPECT_EQ(fs::status(folder_ / "file").permissions(), static_cast<fs::perms>(0640));
}

TEST_F(StreamedFileTest, FollowsASymbolicLink) {
    fs::create_directory(folder_ / "real");
    write_file_atomically(folder_ / "real" / "file", "old");
    fs::create_symlink(folder_ / "real" / "file", folder_ / "link");
    EXPECT_EQ(write(folder_ / "link", 100), "");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "real" / "file").size(), 100U);
}

TEST_F(StreamedFileTest, ReportsMistakesInThePath) {
    EXPECT_EQ(write(folder_.path(), 10), "cannot write " + folder_.path().string() + ": Is a directory");
    const fs::path missing = folder_ / "none" / "file";
    EXPECT_EQ(write(missing, 10), "cannot write " + missing.string() + ": No such file or directory");
}

TEST_F(StreamedFileTest, ReportsAFullDeviceAtTheEnd) {
    EXPECT_EQ(write("/dev/full", 1'000'000), "cannot write /dev/full: No space left on device");
    EXPECT_EQ(write("/dev/null", 1'000'000), "");
}

TEST_F(StreamedFileTest, KeepsTheOldFileWhenTheNewOneDoesNotFit) {
    const fs::path path = folder_ / "file";
    write_file_atomically(path, "old");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit previous{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &previous), 0);
    const rlimit small{100'000, previous.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = write(path, 1'000'000);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &previous), 0);
    EXPECT_EQ(message, "cannot write " + path.string() + ": File too large");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files(), 1U);
}

TEST_F(StreamedFileTest, ReportsAFullDisk) {
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
        GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
    EXPECT_EQ(write(folder_ / "file", 1'000'000),
              "cannot write " + (folder_ / "file").string() + ": No space left on device");
    EXPECT_EQ(files(), 0U);
    EXPECT_EQ(::umount(folder_.path().c_str()), 0);
}

}  // namespace
}  // namespace solidtlm::testbench
