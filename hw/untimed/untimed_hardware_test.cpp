// SPDX-License-Identifier: Apache-2.0
#include "hw/untimed/untimed_hardware.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hw/tlm/content.h"

namespace solidtlm::hw {
namespace {

/// Digests of the page at DRAM address 4096, whose contents are `dram`.
Digest::Value digest(NandConfig config, hal::ContentMode mode, std::vector<std::byte>& dram) {
    config.content = mode;
    UntimedHardware hardware(config, {}, dram.data(), 8192);
    bool done = false;
    hal::HashJob job;
    job.function = hal::HashFunction::md5;
    job.source = hal::DramAddress{4096};
    job.done = {[](void* flag) { *static_cast<bool*>(flag) = true; }, &done};
    static_cast<hal::Hash&>(hardware).submit(job);
    EXPECT_TRUE(done) << "at once";
    return job.digest;
}

TEST(UntimedHardware, HashesTheSameBytesInBothContentModes) {
    std::vector<std::byte> tags(8192 / 512 * 8);
    std::vector<std::byte> bytes(8192);
    for (std::uint64_t sector = 0; sector < 8; ++sector) {
        const std::uint64_t identity = 1000 + sector;
        std::memcpy(tags.data() + (8 + sector) * 8, &identity, 8);
        expand_content(identity, std::span<std::byte, 512>(bytes.data() + 4096 + sector * 512, 512));
    }
    Digest::Value expected{};
    EVP_Digest(bytes.data() + 4096, 4096, reinterpret_cast<unsigned char*>(expected.data()), nullptr,
               EVP_md5(), nullptr);
    EXPECT_EQ(digest(NandConfig{}, hal::ContentMode::tags, tags), expected);
    EXPECT_EQ(digest(NandConfig{}, hal::ContentMode::bytes, bytes), expected);
}

}  // namespace
}  // namespace solidtlm::hw
