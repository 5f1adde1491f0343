// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/dedup_section.h"

#include <gtest/gtest.h>

#include "fw/testing/files.h"
#include "fw/testing/places.h"
#include "testbench/show/summary.h"
#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

TEST(DedupSection, NumbersByHand) {
    const Json result = testing::sample_dedup_result();
    const Json& dedup = result.at("dedup");
    EXPECT_EQ(dedup.at("system"), "offline_separated");
    EXPECT_EQ(dedup.at("saved_pages"), 5) << "8 - 3";
    EXPECT_DOUBLE_EQ(dedup.at(Pointer("/time_us/crc")).get<double>(), 280.0);
    EXPECT_DOUBLE_EQ(dedup.at(Pointer("/time_us/total")).get<double>(), 280.0 + 1010.0 + 1500.0);
    EXPECT_DOUBLE_EQ(dedup.at(Pointer("/hash_unit/busy_us")).get<double>(), 1260.0);
    EXPECT_EQ(dedup.at(Pointer("/hash_unit/md5_jobs")), 10);
    EXPECT_FALSE(testing::sample_result().contains("dedup")) << "the section exists only with deduplication";
}

TEST(DedupSection, EveryFieldIsExplained) {
    const std::string page = read_file(source_path("docs/result.md"));
    const std::size_t begin = page.find("### `dedup`");
    ASSERT_NE(begin, std::string::npos);
    const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
    const Json dedup = dedup_section(testing::sample_dedup());
    for (const auto& [name, value] : dedup.items()) {
        EXPECT_NE(section.find("`" + name), std::string::npos) << name;
        if (value.is_object()) {
            for (const auto& [part, unused] : value.items()) {
                EXPECT_TRUE(section.find("`" + name + "." + part) != std::string::npos ||
                            section.find("`." + part) != std::string::npos)
                    << name << "." << part;
            }
        }
    }
}

TEST(DedupSection, TheSummaryShowsStepsAndTheirResults) {
    TextStyle narrow;
    narrow.width = 80;
    const std::string text = summarize(testing::sample_dedup_result(), narrow);
    EXPECT_NE(text.find("Deduplication, offline_separated"), std::string::npos) << text;
    for (const char* words : {"5 duplicates found", "4 still wait", "14.0", "101.0", "2.79 ms"}) {
        EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    }
    EXPECT_EQ(text.find("comparison"), std::string::npos) << "none was made";
    EXPECT_EQ(summarize(testing::sample_result(), narrow).find("Deduplication"), std::string::npos);
}

}  // namespace
}  // namespace solidtlm::testbench
