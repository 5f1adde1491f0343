// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/contents.h"

#include <gtest/gtest.h>

#include "fw/testing/places.h"
#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

/// The error of require_contents(), with the file's path replaced by "FILE"; "" if there is none.
std::string verdict(std::string_view contents, TraceOptions options = {}) {
    const TempFile file(contents);
    options.path = file.path();
    try {
        require_contents(options, "tb_dedup");
    } catch (const InputError& error) {
        std::string text = error.what();
        const std::size_t at = text.find(file.path());
        return at == std::string::npos ? text : text.replace(at, file.path().size(), "FILE");
    }
    return {};
}

TEST(TraceContents, AreKnownInTheseFormats) {
    EXPECT_EQ(verdict("0 W 0 16 - +2\n"), "");
    EXPECT_EQ(verdict("0 R 0 8\n5 W 8 8 - 0\n9 W 8 8 - +\n"), "") << "further on";
    EXPECT_EQ(verdict("89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"),
              "");
}

TEST(TraceContents, AreRefusedInOtherFormats) {
    EXPECT_EQ(
        verdict("0,303567,3584,w,0.000000\n1,55590,3072,w,0.000000\n"),
        "FILE: found a trace in the format spc, which does not record contents; tb_dedup needs to know what "
        "is written, which only these formats record: fiu, nbd");
    EXPECT_EQ(
        verdict("0.1 0 8 8 0\n", with_format("disksim")),
        "FILE: found a trace in the format disksim, which does not record contents; tb_dedup needs to know "
        "what is written, which only these formats record: fiu, nbd");
}

TEST(TraceContents, AreRequiredOfATraceThatCouldHaveThem) {
    EXPECT_EQ(
        verdict("0 R 0 8\n5 W 8 8\n9 W 16 8 -\n"),
        "FILE: found 2 writes in the format nbd, none with contents other than zeros; tb_dedup needs to "
        "know what is written, which only these formats record: fiu, nbd");
    EXPECT_EQ(
        verdict("0 Z 0 8\n5 W 8 8 - 0\n"),
        "FILE: found 2 writes in the format nbd, none with contents other than zeros; tb_dedup needs to "
        "know what is written, which only these formats record: fiu, nbd")
        << "zeros are told by the command alone";
}

TEST(TraceContents, KnowsTheSamples) {
    TraceOptions options;
    options.path = source_path("traces/sample.nbd.xz");
    EXPECT_NO_THROW(require_contents(options, "tb_dedup"));
    options.path = source_path("traces/ahci_ext4.cmds.xz");
    EXPECT_THROW(require_contents(options, "tb_dedup"), InputError);
    options.path = source_path("traces/nowhere.nbd");
    EXPECT_THROW(require_contents(options, "tb_dedup"), InputError);
}

}  // namespace
}  // namespace solidtlm::testbench
