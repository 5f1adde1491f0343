// SPDX-License-Identifier: Apache-2.0
//
// Presets, layers, the effective configuration and the generated page.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fw/testing/places.h"
#include "platform/configuration.h"
#include "platform/configuration_keys.h"
#include "platform/configuration_test_support.h"
#include "platform/presets.h"

namespace solidtlm::platform {
namespace {

using hal::Ps;
using namespace std::chrono_literals;

Configuration preset(const std::string& name) {
    return load_configuration({name, {}, {}});
}

TEST(Presets, AllLoadAndAreTheFilesOfTheFolder) {
    const std::vector<std::string> expected{"agrawal", "default", "enterprise",  "jasmine",
                                            "nvme",    "qlc",     "small_block", "study_b",
                                            "study_c", "tiny",    "tlc",         "tlc_dramless"};
    EXPECT_EQ(preset_names(), expected);
    for (const Preset& each : presets()) {
        EXPECT_EQ(preset(std::string(each.name)).preset, each.name);
        EXPECT_GT(each.description().size(), 20U) << each.name;
        std::ifstream file(source_path("platform/presets/" + std::string(each.name) + ".toml"));
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_TRUE(text.str() == each.toml) << each.name;
    }
}

TEST(Presets, FilesAreAcceptedAsTheyAre) {
    for (const Preset& each : presets()) {
        ConfigurationSources sources;
        sources.files.emplace_back(source_path("platform/presets/" + std::string(each.name) + ".toml"));
        Configuration of_file = load_configuration(sources);
        of_file.preset = each.name;
        EXPECT_EQ(to_toml(of_file), to_toml(preset(std::string(each.name)))) << each.name;
    }
    ConfigurationSources sources;
    sources.files.emplace_back(source_path("platform/presets/agrawal.toml"));
    sources.settings.emplace_back("nand.timing.suspend=3us");
    EXPECT_THROW(load_configuration(sources), ConfigurationError) << "what the user sets has to act";
}

TEST(Presets, EveryValueHasACommentOnItsSource) {
    for (const Preset& each : presets()) {
        std::istringstream lines{std::string(each.toml)};
        std::string line;
        bool whole_table = false;  // a comment after the table's name applies to all of its keys
        for (int number = 1; std::getline(lines, line); ++number) {
            if (line.starts_with('[')) {
                whole_table = line.find('#') != std::string::npos;
            } else if (line.find('=') != std::string::npos && !line.starts_with('#')) {
                EXPECT_TRUE(whole_table || line.find("# ") != std::string::npos)
                    << each.name << ":" << number << ": " << line;
            }
        }
    }
}

TEST(Presets, DefaultIsTheBuiltInConfiguration) {
    const Configuration c = preset("default");
    EXPECT_EQ(c.raw_bytes(), 64ULL << 30);
    EXPECT_DOUBLE_EQ(c.over_provisioning, 0.07);
    EXPECT_EQ(c.firmware.exported_sectors, 15'602'810ULL * 8) << "floor(2^24 * 0.93) units";
    EXPECT_EQ(to_toml(load_configuration({})), to_toml(c)) << "default is what one gets without asking";
    for (const ConfigurationKey& key : keys()) {
        EXPECT_EQ(toml_literal(key, c), toml_literal(key, Configuration{})) << key.name;
    }
}

TEST(Presets, AgrawalIsTheStudysDevice) {
    const Configuration c = preset("agrawal");
    EXPECT_EQ(c.raw_bytes(), 8ULL * 8 * 2048 * 64 * 4096) << "packages, planes, blocks, pages, bytes";
    EXPECT_EQ(c.nand.bus.interface, hw::NandInterface::byte_time);
    EXPECT_EQ(c.nand.bus.byte_time, Ps{25ns});
    EXPECT_EQ(c.nand.timing.read, std::vector<Ps>{Ps{25us}});
    EXPECT_EQ(c.nand.timing.program, std::vector<Ps>{Ps{200us}});
    EXPECT_EQ(c.nand.timing.erase, Ps{1500us});
    EXPECT_EQ(c.nand.ecc.codeword_bytes, 0U);
    EXPECT_DOUBLE_EQ(c.over_provisioning, 0.15);
    EXPECT_EQ(c.firmware.gc.background_threshold, 103U) << "below 5 % of 2,048";
    // One 4 KB read: the study says 25 + 100 us and 32.8 MB/s; 4,096 bytes at 25 ns are 102.4 us, 2 % less.
    const Ps read = c.nand.timing.read[0] + c.nand.geometry.page_bytes * c.nand.bus.byte_time;
    EXPECT_NEAR(4096.0 / (static_cast<double>(read.count()) * 1e-12) / 1e6, 32.8, 0.02 * 32.8);
}

TEST(Presets, StudyCHasTheStudysTimes) {
    const Configuration c = preset("study_c");
    EXPECT_EQ(c.raw_bytes(), 4ULL * 2 * 4 * 152 * 64 * 4096)
        << "channels, dies, planes, blocks, pages, bytes";
    EXPECT_GE(c.exported_bytes(), 1ULL << 30);
    EXPECT_LT(c.exported_bytes(), (1ULL << 30) + (16U << 20));
    EXPECT_EQ(c.nand.timing.read, std::vector<Ps>{Ps{25us}});
    EXPECT_EQ(c.nand.timing.program, std::vector<Ps>{Ps{200us}});
    EXPECT_EQ(c.nand.timing.erase, Ps{1500us});
    EXPECT_EQ(c.hash.crc32_per_4k, Ps{13us});
    EXPECT_EQ(c.hash.md5_per_4k, Ps{100us});
    EXPECT_EQ(c.firmware.unit_bytes, 4096U);
    EXPECT_FALSE(c.firmware.allocation.order.starts_with('P')) << "a page of 4 KiB is programmed alone";
    EXPECT_GE(c.firmware.dedup.table_bytes / 48, c.raw_units()) << "no fingerprint is forgotten";
}

TEST(Presets, JasmineIsTheBoardAndItsNandIsInReachOfTheMeasurements) {
    const Configuration c = preset("jasmine");
    EXPECT_EQ(c.raw_bytes(), 64ULL << 30);
    EXPECT_EQ(c.nand.geometry.planes * c.nand.geometry.page_bytes, 32U << 10) << "virtual page";
    EXPECT_EQ(c.nand.geometry.planes * c.nand.geometry.block_bytes(), 4U << 20) << "virtual block";
    EXPECT_EQ(c.sata.generation, hw::SataGeneration::gen2);
    EXPECT_DOUBLE_EQ(c.core.frequency_mhz, 175.0);
    // 32 KB two-plane read: published 39.3 MB/s with one way, 51.4 with several (bus bound). The array and
    // bus times alone are an upper bound, and firmware and commands cannot take more than a tenth.
    const double bus = static_cast<double>(c.nand.bus.byte_time.count()) * 1e-12 * 2 *
                       (16384 + 32 * c.nand.ecc.parity_bytes);
    const double array = static_cast<double>(c.nand.timing.read[0].count()) * 1e-12;
    const double one_way = 32768 / (array + bus) / 1e6;
    const double bus_bound = 32768 / bus / 1e6;
    EXPECT_GT(one_way, 39.3);
    EXPECT_LT(one_way, 39.3 * 1.1);
    EXPECT_GT(bus_bound, 51.4);
    EXPECT_LT(bus_bound, 51.4 * 1.1);
}

TEST(Layers, LaterOnesWinAndABaseComesBeforeItsFile) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "inner");
    (void)folder.write(
        "inner/base.toml",
        "preset = \"tiny\"\n[sata]\nqueue_depth = 4\ncoalesce_completions = 4\nmax_dsm_blocks = 4\n");
    const auto one = folder.write(
        "one.toml", "base = \"inner/base.toml\"\nsata.coalesce_completions = 5\nsata.max_dsm_blocks = 5\n");
    const auto two = folder.write("two.toml", "sata.max_dsm_blocks = 6\n");
    const Configuration c =
        load_configuration({"", {one, two}, {"sata.turnaround_dwords=7", "seed=3", "seed=4"}});
    EXPECT_EQ(c.preset, "tiny") << "named by the base";
    EXPECT_EQ(c.nand.geometry.blocks, 16U) << "from the preset";
    EXPECT_EQ(c.core.frequency_mhz, 500.0) << "built in";
    EXPECT_EQ(c.sata.queue_depth, 4U) << "from the base";
    EXPECT_EQ(c.sata.coalesce_completions, 5U) << "from the first file";
    EXPECT_EQ(c.sata.max_dsm_blocks, 6U) << "from the second file";
    EXPECT_EQ(c.sata.turnaround_dwords, 7U) << "from the command line";
    EXPECT_EQ(c.seed, 4U) << "the last one";
}

TEST(Layers, DefaultsOfTheExecutableLieBelowTheUsersFiles) {
    const TemporaryFolder folder;
    const auto file = folder.write("my.toml", "sata.queue_depth = 4\n");
    const auto other = folder.write("other.toml", "preset = \"jasmine\"\n");
    ConfigurationSources sources;
    sources.defaults = "preset = \"tiny\"\n[sata]\nqueue_depth = 2\nmax_dsm_blocks = 2\n";
    EXPECT_EQ(load_configuration(sources).sata.queue_depth, 2U);
    sources.files = {file};
    const Configuration c = load_configuration(sources);
    EXPECT_EQ(c.preset, "tiny");
    EXPECT_EQ(c.sata.queue_depth, 4U) << "the user's file wins";
    EXPECT_EQ(c.sata.max_dsm_blocks, 2U);
    sources.files = {other};
    EXPECT_EQ(load_configuration(sources).preset, "jasmine") << "the user's preset wins, without a conflict";
    EXPECT_EQ(load_configuration(sources).sata.queue_depth, 2U) << "but lies below the executable's keys";
}

TEST(Layers, SettingsOfEveryKind) {
    const Configuration c = load_configuration(
        {"tiny",
         {},
         {"nand.rules.sequential_pages=false", "nand.geometry.channels = 4", "core.frequency_mhz=2.5e2",
          "dram.size=32MiB", "firmware.write_buffer.size=524288", "nand.timing.erase=2.5ms",
          "nand.timing.read=40us,65us", "nand.timing.program=[\"500us\", \"1.3ms\"]",
          "firmware.gc.policy=fifo", "sata.model=\"My SSD\"", "sata.serial=X1",
          "nand.bad_blocks.factory_fraction=0"}});
    EXPECT_FALSE(c.nand.rules.sequential_pages);
    EXPECT_EQ(c.nand.geometry.channels, 4U);
    EXPECT_DOUBLE_EQ(c.core.frequency_mhz, 250.0);
    EXPECT_EQ(c.dram.size_bytes, 32U << 20);
    EXPECT_EQ(c.firmware.write_buffer.size_bytes, 524'288U);
    EXPECT_EQ(c.nand.timing.erase, Ps{2500us});
    EXPECT_EQ(c.nand.timing.read, (std::vector<Ps>{Ps{40us}, Ps{65us}}));
    EXPECT_EQ(c.nand.timing.program, (std::vector<Ps>{Ps{500us}, Ps{1300us}}));
    EXPECT_EQ(c.firmware.gc.policy, "fifo");
    EXPECT_EQ(c.sata.model, "My SSD");
    EXPECT_EQ(c.sata.serial, "X1");
}

/// Fields without a key that must be preserved, too.
void expect_same(const Configuration& a, const Configuration& b) {
    EXPECT_EQ(to_toml(a), to_toml(b));
    EXPECT_EQ(to_json(a), to_json(b));
    EXPECT_EQ(a.preset, b.preset);
    EXPECT_EQ(a.capacity_bytes, b.capacity_bytes);
    EXPECT_EQ(a.over_provisioning, b.over_provisioning);
    EXPECT_EQ(a.firmware.exported_sectors, b.firmware.exported_sectors);
    EXPECT_EQ(a.nand.metadata_bytes, b.nand.metadata_bytes);
}

TEST(EffectiveConfiguration, ReadsBackAsItself) {
    for (const std::string& name : preset_names()) {
        const Configuration c = preset(name);
        expect_same(c, parse_configuration(to_toml(c), "dump.toml"));
    }
    const Configuration odd = load_configuration(
        {"jasmine",
         {},
         {"ssd.capacity=40GB", "firmware.unit=4KiB", "nand.timing.read=123.456789us,2ms",
          "sata.model=a \"b\" \\c", "core.frequency_mhz=333.3333333333333", "nand.ecc.encode_mb_per_s=1e5",
          "seed=9223372036854775807", "dram.size=67108352B", "firmware.write_buffer.idle_flush=1.5s",
          "firmware.map_cache.policy=bsb",
          "firmware.map_cache.bsb_candidates=full,tafp_8,tafp_12,tafp_16,tafp_20,tafp_24,tafp_28,tafp_32,"
          "tafp_36,tafp_40,tafp_44,tafp_48"}});
    const std::string dump = to_toml(odd);
    EXPECT_NE(dump.find("capacity = \"40GB\"\n"), std::string::npos) << dump;
    EXPECT_EQ(dump.find("over_provisioning"), std::string::npos) << "one of the two";
    expect_same(odd, parse_configuration(dump, "dump.toml"));
}

TEST(EffectiveConfiguration, AsJsonHasEveryKeyNestedAndTheDerivedValues) {
    const Configuration c = preset("tiny");
    const nlohmann::ordered_json json = to_json(c);
    EXPECT_EQ(json["preset"], "tiny");
    EXPECT_EQ(json["nand"]["geometry"]["channels"], 2);
    EXPECT_EQ(json["nand"]["geometry"]["page_size"], 8192) << "sizes in bytes";
    EXPECT_EQ(json["nand"]["timing"]["read"], nlohmann::ordered_json::array({"35us"}));
    EXPECT_EQ(json["nand"]["timing"]["erase"], "1.5ms");
    EXPECT_EQ(json["firmware"]["gc"]["policy"], "greedy");
    EXPECT_EQ(json["core"]["frequency_mhz"], 500.0);
    EXPECT_EQ(json["sata"]["zeros_after_trim"], true);
    EXPECT_EQ(json["derived"]["raw_bytes"], 16 << 20);
    EXPECT_EQ(json["derived"]["exported_bytes"], 2662 * 4096);
    EXPECT_EQ(json["derived"]["metadata_bytes"], 16);
    EXPECT_EQ(json["derived"]["total_dies"], 4);
    for (const ConfigurationKey& key : keys()) {
        std::string pointer = "/" + std::string(key.name);
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        EXPECT_EQ(json.contains(nlohmann::ordered_json::json_pointer(pointer)), key.name != "ssd.capacity")
            << key.name;
    }
}

TEST(KeyListing, NamesEveryKey) {
    const std::string text = list_keys_text();
    for (const ConfigurationKey& key : keys()) {
        EXPECT_NE(text.find("\n" + std::string(key.name) + " = "), key.name == "seed" ? 0 : std::string::npos)
            << key.name;
    }
}

TEST(KeyListing, ThePageInDocsIsTheGeneratedOne) {
    const std::string page = source_path("docs/configuration.md");
    if (std::getenv("SOLIDTLM_UPDATE_DOCS") != nullptr) {
        std::ofstream(page) << list_keys_markdown();
    }
    std::ifstream file(page);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_TRUE(text.str() == list_keys_markdown())
        << "update the page: run this test with SOLIDTLM_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace solidtlm::platform
