// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/files/file_claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "fw/testing/files.h"
#include "testbench/sim/files/output_file.h"

namespace solidtlm::testbench {
namespace {

std::string claim(const std::filesystem::path& path) {
    try {
        const FileClaim claimed(path);
    } catch (const OutputError& error) {
        return error.what();
    }
    return {};
}

TEST(FileClaim, IsForOneAtATime) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "drive";
    {
        const FileClaim first(path);
        EXPECT_EQ(claim(path), path.string() + " is in use by another run");
        EXPECT_EQ(claim(folder / "other"), "");
    }
    EXPECT_EQ(claim(path), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing stays";
}

TEST(FileClaim, EndsWithItsProcess) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "drive";
    const pid_t child = fork();
    if (child == 0) {
        const FileClaim claimed(path);
        _exit(0);  // without its destructor, as when it is killed
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(std::filesystem::exists(path.string() + ".lock"));
    EXPECT_EQ(claim(path), "");
}

TEST(FileClaim, SaysWhyThereCanBeNone) {
    const TemporaryFolder folder;
    EXPECT_NE(claim(folder / "none" / "drive").find("No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace solidtlm::testbench
