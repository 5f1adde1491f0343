// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with block-mapped layers: verified, reconciled, and the time of a striped write against its
// closed form.
#include "testbench/run/test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

constexpr const char* kLayers[] = {"fmax", "bast", "fast", "mtbs", "kast", "superblock"};

void expect_sound(const Json& result) {
    EXPECT_EQ(result.at(Pointer("/verify/mismatches")), 0);
    EXPECT_EQ(result.at(Pointer("/ledger/residual_ns")), 0);
    EXPECT_EQ(result.at(Pointer("/host/failed")), 0);
    EXPECT_TRUE(result.at(Pointer("/nand/violations")).empty());
}

/// What the array did is what the layer counted: pages for the host and for merges, one for one.
void expect_reconciled(const Json& result, std::uint64_t nand_blocks_of_a_block) {
    const Json& map = result.at("block_map");
    std::uint64_t written = 0;
    for (const char* kind : {"write_data", "update_pure", "update_wasted"}) {
        written += map.at("writes").at(kind).get<std::uint64_t>();
    }
    EXPECT_EQ(result.at(Pointer("/nand/by_cause/host/programs")), written);
    EXPECT_EQ(result.at(Pointer("/nand/by_cause/merge/reads")), map.at("merge_reads"));
    EXPECT_EQ(result.at(Pointer("/nand/by_cause/merge/programs")), map.at("merge_programs"));
    EXPECT_EQ(result.at(Pointer("/nand/by_cause/merge/erases")),
              map.at("erases").get<std::uint64_t>() * nand_blocks_of_a_block);
}

std::vector<std::string> tiny_with(const std::string& layer, std::vector<std::string> more = {}) {
    more.push_back("firmware.translation=" + layer);
    more.push_back("ssd.over_provisioning=0.6");  // mtbs exports less than half
    return more;
}

class BlockMapDrive : public ::testing::TestWithParam<const char*> {};

TEST_P(BlockMapDrive, VerifiesARandomMix) {
    for (const char* striping : {"full", "none"}) {
        const platform::Configuration configuration =
            preset("tiny", tiny_with(GetParam(), {"firmware.allocation.striping=" + std::string(striping),
                                                  "firmware.gc.copy_back=false"}));
        RandomMix::Shares shares;
        shares.requests = 1500;
        RandomMix mix(7, configuration.firmware.exported_sectors, shares);
        const Json result = run_closed(configuration, mix);
        expect_sound(result);
        EXPECT_GT(result.at(Pointer("/verify/reads_checked")), 0);
        expect_reconciled(result, striping == std::string("full") ? 8 : 2);  // 4 dies of 2 planes
        EXPECT_GT(result.at(Pointer("/block_map/merges/full")), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, BlockMapDrive, ::testing::ValuesIn(kLayers),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace solidtlm::testbench
