// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/hash_job.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "fw/needs.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

using namespace std::chrono_literals;

struct HashBench {
    explicit HashBench(hal::ContentMode mode)
        : clock(), dram(64 << 10, mode), hash(clock, dram, mode), flash(config, clock, dram, 1) {
        services.hash = &hash;
    }
    Task<void> digest(hal::HashJob& job, char name) {
        co_await HashAwaiter(services, job);
        log += name;
        ended = executor.now();
    }
    void step() {
        while (!executor.step().idle) {
        }
    }
    void run() {
        do {
            step();
        } while (clock.run_one());
    }

    FirmwareConfig config = tiny_config();
    FakeClock clock;
    FakeDram dram;
    FakeHash hash;
    FakeFlash flash;
    Executor executor{clock};
    MediaLayout layout = media_layout(config);
    Services services{config, executor, &flash, &dram, layout};
    std::string log;
    Ps ended{0};
};

hal::HashJob job_at(std::uint64_t address, hal::HashFunction function, bool priority = false) {
    hal::HashJob job;
    job.function = function;
    job.source = hal::DramAddress{address};
    job.priority = priority;
    return job;
}

TEST(HashJob, DigestsAreThoseOfTheContent) {
    HashBench bench(hal::ContentMode::bytes);
    hal::HashJob crc = job_at(4096, hal::HashFunction::crc32);
    hal::HashJob md5 = job_at(4096, hal::HashFunction::md5);
    bench.executor.spawn(bench.digest(crc, 'c'));
    bench.executor.spawn(bench.digest(md5, 'm'));
    bench.run();
    EXPECT_EQ(bench.log, "cm");
    EXPECT_EQ(bench.ended, 113us);
    std::uint32_t value = 0;
    std::memcpy(&value, crc.digest.data(), sizeof value);
    EXPECT_EQ(value, 0xC71C0011U) << "CRC-32 of 4096 zero bytes";
    // MD5 of 4096 zero bytes: 620f0b67 a91f7f74 151bc5be 745b7110.
    EXPECT_EQ(md5.digest[0], std::byte{0x62});
    EXPECT_EQ(md5.digest[15], std::byte{0x10});
    EXPECT_EQ(bench.hash.jobs[hal::HashFunction::md5], 1U);
}

TEST(HashJob, AShortenedCrcCollidesWhereFingerprintsDiffer) {
    HashBench bench(hal::ContentMode::tags);
    bench.hash.crc_bits = 1;
    std::array<hal::HashJob, 3> crcs;
    std::array<hal::HashJob, 3> md5s;
    for (std::uint64_t i = 0; i < 3; ++i) {
        std::memcpy(bench.dram.content(hal::DramAddress{i * 4096}), &i, sizeof i);
        crcs[i] = job_at(i * 4096, hal::HashFunction::crc32);
        md5s[i] = job_at(i * 4096, hal::HashFunction::md5);
        bench.executor.spawn(bench.digest(crcs[i], 'c'));
        bench.executor.spawn(bench.digest(md5s[i], 'm'));
    }
    bench.run();
    EXPECT_TRUE(crcs[0].digest == crcs[1].digest || crcs[0].digest == crcs[2].digest ||
                crcs[1].digest == crcs[2].digest)
        << "three contents, two values";
    EXPECT_NE(md5s[0].digest, md5s[1].digest);
    EXPECT_NE(md5s[0].digest, md5s[2].digest);
    EXPECT_NE(md5s[1].digest, md5s[2].digest);
}

TEST(HashJob, JobsOfTheHostGoFirstAndAPowerCutForgetsAll) {
    HashBench bench(hal::ContentMode::tags);
    hal::HashJob running = job_at(0, hal::HashFunction::md5);
    hal::HashJob background = job_at(0, hal::HashFunction::md5);
    hal::HashJob urgent = job_at(0, hal::HashFunction::crc32, true);
    bench.executor.spawn(bench.digest(running, 'r'));
    bench.executor.spawn(bench.digest(background, 'b'));
    bench.executor.spawn(bench.digest(urgent, 'u'));
    bench.run();
    EXPECT_EQ(bench.log, "rub");
    bench.executor.spawn(bench.digest(running, 'r'));
    bench.executor.spawn(bench.digest(background, 'b'));
    bench.step();
    bench.hash.power_cut();
    bench.run();
    EXPECT_EQ(bench.log, "rub");
    hal::HashJob fresh = job_at(0, hal::HashFunction::crc32);
    bench.executor.spawn(bench.digest(fresh, 'f'));
    bench.run();
    EXPECT_EQ(bench.log, "rubf");
}

}  // namespace
}  // namespace solidtlm::fw::testing
