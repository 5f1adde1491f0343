// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/page_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fw/testing/memory_archive.h"
#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

/// Three buffers of 4 KiB.
struct JobBench : FlashBench<OneDie> {
    JobPool<PageJob> pool{executor, "jobs", 3, DramAddress{8192}, 4096};
    std::vector<PageJob*> taken;
};

TEST(PageJob, ReadsAndProgramsWithOrWithoutTheSpareArea) {
    JobBench bench;
    const hal::FlashAddress at = bench.layout.nand_page(Pu{0}, Superblock{2}, 0, 5);
    PageJob job;
    job.buffer = DramAddress{4096};
    job.move(512);
    job.prepare(bench.services, hal::FlashOpcode::read, at, false);
    EXPECT_EQ(job.op.opcode, hal::FlashOpcode::read);
    EXPECT_EQ(job.op.address[0], at);
    ASSERT_EQ(job.op.pieces.size(), 1);
    EXPECT_EQ(job.op.pieces[0].length_bytes, 512);
    EXPECT_EQ(job.op.pieces[0].dram, job.buffer);
    EXPECT_TRUE(job.op.spare.empty());
    const std::size_t bytes = spare_bytes(bench.layout.units_per_page());
    job.prepare(bench.services, hal::FlashOpcode::read, at, true);
    EXPECT_EQ(job.op.spare.size(), bytes);
    job.prepare_program(bench.services, at, SpareHeader{77, PageKind::map}, Lpn{9});
    EXPECT_EQ(job.op.opcode, hal::FlashOpcode::program);
    EXPECT_EQ(job.op.pieces.size(), 1);
    EXPECT_EQ(job.op.spare.size(), bytes);
    EXPECT_EQ(decode_header(job.op.spare).sequence, 77);
    EXPECT_EQ(decode_lpn(job.op.spare, 0), Lpn{9});
    job.prepare_program(bench.services, at, SpareHeader{78, PageKind::journal});
    EXPECT_EQ(decode_lpn(job.op.spare, 0), kNoLpn);
}

Task<void> take_one(JobBench& bench) {
    co_await bench.pool.acquire();
    bench.taken.push_back(&bench.pool.take());
}

void take(JobBench& bench, int jobs) {
    for (int i = 0; i < jobs; ++i) {
        bench.executor.spawn(take_one(bench));
    }
    bench.core.wake();
    while (bench.clock.run_one()) {
    }
}

TEST(JobPool, GivesEachJobABufferAndToOneCallerAtATime) {
    JobBench bench;
    take(bench, 4);
    ASSERT_EQ(bench.taken.size(), 3) << "one waits";
    std::vector<std::uint64_t> buffers;
    for (const PageJob* job : bench.taken) {
        buffers.push_back(job->buffer.value);
    }
    std::ranges::sort(buffers);
    EXPECT_EQ(buffers, (std::vector<std::uint64_t>{8192, 12288, 16384}));
    bench.pool.give_back(*bench.taken[1]);
    take(bench, 0);
    ASSERT_EQ(bench.taken.size(), 4);
    EXPECT_EQ(bench.taken[3], bench.taken[1]);
}

TEST(JobPool, KeepsTheOrderInASavedState) {
    JobBench bench;
    take(bench, 3);
    for (const std::size_t back : {1, 0, 2}) {
        bench.pool.give_back(*bench.taken[back]);
    }
    MemoryArchive saved;
    saved(bench.pool);
    JobBench loaded;
    saved.load();
    saved(loaded.pool);
    take(loaded, 3);
    const std::array<std::size_t, 3> last_first{2, 0, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(loaded.taken[i]->buffer, bench.taken[last_first[i]]->buffer);
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
