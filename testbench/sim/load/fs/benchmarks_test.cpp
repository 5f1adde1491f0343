// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "testbench/sim/load/answered_source.h"
#include "testbench/sim/load/fs/fs_test_support.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"

namespace solidtlm::testbench::fs {
namespace {

constexpr std::uint64_t kDeviceSectors = std::uint64_t{524288} * kSectorsPerBlock;

std::map<std::string, double> run(const std::string& spec) {
    FsSource source(parse_fs_workload(spec, kDeviceSectors));
    AnsweredSource answered(source, kService);
    Request request;
    while (answered.next(request)) {
    }
    std::map<std::string, double> counters;
    for (const auto& [name, value] : source.counters()) {
        counters[name] = value;
    }
    return counters;
}

// 10 files, with room for 20: the pool is full after 10 transactions. 50 reads and 10 creates of 20 us each
// without a device take 1.2 ms. At the end, all files are removed.
TEST(Postmark, CountsAsTheOriginal) {
    auto all = run("postmark,files=10,transactions=50,read=1,create=1");
    EXPECT_EQ(all["operations"], 50);
    EXPECT_EQ(all["reads"], 50);
    EXPECT_EQ(all["creates"], 20);
    EXPECT_EQ(all["removes"], 20);
    EXPECT_DOUBLE_EQ(all["measured_s"], 1.2e-3);
    EXPECT_EQ(all["data_writes"], 0) << "no file exists long enough to be written back";
}

TEST(Postmark, EndsWhenNoFileIsLeft) {
    auto all = run("postmark,files=10,transactions=50,create=0");
    EXPECT_EQ(all["operations"], 10);
    EXPECT_EQ(all["removes"], 10);
}

TEST(Postmark, AppendsUpToTheLargestSize) {
    auto all = run("postmark,files=5,transactions=2000,read=0,create=1,size=100-1000");
    // every file soon reaches 1,000 bytes and then does not grow any more
    EXPECT_LT(all["appends"] - all["creates"], 150);
    EXPECT_EQ(all["creates"], 10);
}

// With one thread, each fsync is a commit of its own: data, log, flush, commit block, flush.
TEST(Postmark, FsyncMakesACommit) {
    auto all = run("postmark,files=100,transactions=100,read=1,create=1,fsync=1,discard=none");
    EXPECT_EQ(all["fsyncs"], 200);
    EXPECT_EQ(all["commits"], 201) << "and one for the removes at the end";
    EXPECT_EQ(all["flushes"], 402);
    EXPECT_EQ(all["data_writes"], 200);
}

// 160 deletes of 20 us on 4 processors take 800 us.
TEST(FilebenchDelete, DeletesWithAllThreads) {
    auto all = run("filebench_delete,files=160,discard=none");
    EXPECT_EQ(all["operations"], 160);
    EXPECT_DOUBLE_EQ(all["measured_s"], 800e-6);
    EXPECT_EQ(all["data_write_blocks"], 160 * 4);
    EXPECT_EQ(all["commits"], 2);
}

TEST(FilebenchDelete, ScatteredExtentsInBatchesOf64) {
    auto each = run("filebench_delete,files=3000,order=random,commit=3ms,discard=per_extent");
    auto batched = run("filebench_delete,files=3000,order=random,commit=3ms,discard=batched");
    EXPECT_EQ(each["trim_blocks"], 3000 * 4);
    EXPECT_EQ(batched["trim_blocks"], 3000 * 4);
    EXPECT_EQ(each["trims"], each["trim_ranges"]);
    EXPECT_EQ(each["trims"], each["freed_extents"]);
    EXPECT_LT(batched["trims"], batched["trim_ranges"] / 20);
    EXPECT_LE(each["commits"], batched["commits"]) << "slower requests are fewer";
}

TEST(FilebenchDelete, TheSameSeedGivesTheSame) {
    const std::string spec = "postmark,files=200,transactions=2000,fsync=0.1,memory=1MiB,threads=3,seed=";
    EXPECT_EQ(run(spec + "5"), run(spec + "5"));
    EXPECT_NE(run(spec + "5"), run(spec + "6"));
}

std::string complaint(const std::string& spec, std::uint64_t sectors = kDeviceSectors) {
    try {
        (void)parse_fs_workload(spec, sectors);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(FsWorkloadSpec, DefaultsAreTheOriginals) {
    EXPECT_TRUE(is_fs_workload("postmark"));
    EXPECT_TRUE(is_fs_workload("files=3,pattern=filebench_delete"));
    EXPECT_FALSE(is_fs_workload("random,read=0.5"));
    const FsWorkloadConfig postmark = parse_fs_workload("postmark", kDeviceSectors);
    EXPECT_EQ(postmark.postmark.files, 500U);
    EXPECT_EQ(postmark.postmark.transactions, 500U);
    EXPECT_EQ(postmark.postmark.smallest, 500U);
    EXPECT_EQ(postmark.postmark.largest, 10'000U);
    EXPECT_EQ(postmark.fs.discard, Discard::per_extent);
    EXPECT_EQ(postmark.fs.ranges, 1U);
    EXPECT_EQ(postmark.fs.commit_interval, Ps{5'000'000'000'000});
    const FsWorkloadConfig filebench = parse_fs_workload("filebench_delete,discard=batched", kDeviceSectors);
    EXPECT_EQ(filebench.filebench.files, 30'000U);
    EXPECT_EQ(filebench.filebench.threads, 16U);
    EXPECT_EQ(filebench.fs.ranges, 64U);
    const FsWorkloadConfig queued = parse_fs_workload("postmark,discard=queued", kDeviceSectors);
    EXPECT_EQ(queued.fs.trims_outstanding, 32U);
    EXPECT_EQ(queued.fs.ranges, 1U);
}

TEST(FsWorkloadSpec, MistakesAreExplainedAllAtOnce) {
    const std::string text =
        complaint("postmark,discrad=none,files=0,ranges=65,journal=100,file_size=4k,seed=1,seed=2");
    EXPECT_NE(text.find("discrad: unknown key; did you mean discard?"), std::string::npos) << text;
    EXPECT_NE(text.find("files: found 0; allowed: integer from 1 to 1000000000"), std::string::npos) << text;
    EXPECT_NE(text.find("ranges: found 65; allowed: integer from 1 to 64"), std::string::npos) << text;
    EXPECT_NE(text.find("journal: found 100"), std::string::npos) << text;
    EXPECT_NE(text.find("file_size: not for postmark"), std::string::npos) << text;
    EXPECT_NE(text.find("seed: given twice"), std::string::npos) << text;
    EXPECT_NE(
        complaint("postmark,discard=some").find("allowed: one of none, per_extent, batched, queued, fstrim"),
        std::string::npos);
    EXPECT_NE(complaint("postmark,discard=none,ranges=4").find("ranges: not for discard=none"),
              std::string::npos);
    EXPECT_NE(complaint("postmark,threads=600").find("at most one per file"), std::string::npos);
    EXPECT_NE(complaint("postmark,size=9000-500").find("size: found 9000-500"), std::string::npos);
    EXPECT_NE(complaint("postmark,fs_size=3GiB").find("at most the 2147483648 of the device"),
              std::string::npos);
    EXPECT_NE(complaint("filebench_delete,files=200k").find("131072 files at most"), std::string::npos);
    EXPECT_NE(complaint("postmark", 8000).find("room for the metadata and a journal"), std::string::npos);
    EXPECT_NE(complaint("postmark", 7).find("found 0 bytes"), std::string::npos) << "no block of 4 KiB";
    EXPECT_EQ(complaint("postmark,fs_size=1GiB,journal=1MiB,group=16MiB,fua=true"), "");
}

}  // namespace
}  // namespace solidtlm::testbench::fs
