// SPDX-License-Identifier: Apache-2.0
//
// tb_replay as a user runs it: results, and every mistake that must end with exit code 2 before anything is
// simulated.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbench/scenarios/tb_replay_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

const char* const kGoodTrace =
    "# t_us op lba512 nsect flags content\n"
    "0 W 0 8 - +\n"
    "10 R 0 8\n"
    "20 T 0 8\n"
    "30 F 0 0\n";

TEST_F(TbReplay, WritesAResultThatItsSchemaAccepts) {
    const std::string trace = file("good.nbd", kGoodTrace);
    const fs::path out = folder_ / "out";
    const Outcome run = replay("--preset tiny --trace " + trace + " --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    std::ifstream stream(out / "result.json");
    const nlohmann::json result = nlohmann::json::parse(stream);
    EXPECT_EQ(result["schema"], "solidtlm.result/1");
    EXPECT_EQ(result["scenario"], "tb_replay");
    EXPECT_EQ(result["host"]["requests"], 4);
    EXPECT_EQ(result["host"]["read"]["bytes"], 4096);
    EXPECT_EQ(result["host"]["trim"]["count"], 1);
    EXPECT_EQ(result["ledger"]["residual_ns"], 0.0);
    EXPECT_EQ(result["verify"]["reads_checked"], 1);
    if (shell("python3 -c 'import jsonschema'").code != 0) {
        GTEST_SKIP() << "python3-jsonschema is not installed";
    }
    const Outcome check =
        shell(std::string(SOLIDTLM_SOURCE_DIR) + "/scripts/check-result " + (out / "result.json").string());
    EXPECT_EQ(check.code, 0) << check.output;
}

TEST_F(TbReplay, TellsWhatItCanDo) {
    const Outcome help = replay("--help");
    EXPECT_EQ(help.code, 0);
    for (const char* option : {"--list-presets", "--preset", "--set", "--trace", "--out", "--seed", "--jobs",
                               "--quiet", "--workload", "--fit", "--format", "Examples"}) {
        EXPECT_NE(help.output.find(option), std::string::npos) << option;
    }
    const Outcome presets = replay("--list-presets");
    EXPECT_EQ(presets.code, 0);
    for (const char* preset : {"default", "agrawal", "jasmine", "enterprise", "tiny"}) {
        EXPECT_NE(presets.output.find(preset), std::string::npos) << preset;
    }
}

TEST_F(TbReplay, EveryPresetRunsARandomMix) {
    for (const char* preset : {"default", "agrawal", "jasmine", "enterprise", "tiny"}) {
        const Outcome run =
            replay("--preset " + std::string(preset) +
                   " --workload random,read=0.5,size=4k:3/64k:1,trim=0.02,trim_size=32k,flush=50,count=2000");
        EXPECT_EQ(run.code, 0) << preset << "\n" << run.output;
        EXPECT_NE(run.output.find("all right"), std::string::npos) << run.output;
    }
}

TEST_F(TbReplay, QuietPrintsNothing) {
    const Outcome run = replay("--preset tiny --workload random,count=100 --quiet");
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.output, "");
}

TEST_F(TbReplay, RefusesAMalformedLineFarDownTheTrace) {
    std::string trace = kGoodTrace;
    for (int i = 0; i < 5000; ++i) {
        trace += std::to_string(100 + i) + " R 0 8\n";
    }
    trace += "9999 R zero 8\n";
    expect_refused("--preset tiny --trace " + file("bad.nbd", trace), {"bad.nbd:5006", "expected"});
}

TEST_F(TbReplay, RefusesFilesThatCannotBeRead) {
    expect_refused("--trace " + (folder_ / "absent.nbd").string(), {"absent.nbd"});
    expect_refused("--trace " + folder_.string(), {folder_.string()});
    expect_refused("--trace " + file("empty.nbd", ""), {"empty.nbd"});
    expect_refused("--trace " + file("noise.bin", "\x01\x02\x03\xff\xfe nonsense\n"), {"noise.bin"});
}

TEST_F(TbReplay, RefusesATruncatedArchive) {
    const fs::path sample = fs::path(SOLIDTLM_SOURCE_DIR) / "traces/sample.nbd.xz";
    std::ostringstream bytes;
    bytes << std::ifstream(sample, std::ios::binary).rdbuf();
    expect_refused("--trace " + file("cut.nbd.xz", bytes.str().substr(0, bytes.str().size() / 2)),
                   {"cut.nbd.xz"});
}

TEST_F(TbReplay, RefusesAddressesPastTheDeviceUnlessTheyAreFitted) {
    const std::string trace =
        file("far.nbd", "# t_us op lba512 nsect flags content\n0 R 999999999 8\n1 W 0 8 - +\n");
    expect_refused("--preset tiny --trace " + trace, {"far.nbd:2", "--fit"});
    EXPECT_EQ(replay("--preset tiny --fit wrap --trace " + trace).code, 0);
    EXPECT_EQ(replay("--preset tiny --fit scale --trace " + trace).code, 0);
}

TEST_F(TbReplay, RefusesWhatItCannotReplay) {
    const std::string trace = file("good.nbd", kGoodTrace);
    expect_refused("--preset tiny --fit sideways --trace " + trace, {"--fit"});
    expect_refused("--preset tiny --pacing recorded --trace " + trace, {"--pacing recorded"});
    expect_refused("--preset tiny --pacing recorded --workload random,count=10", {"--pacing recorded"});
    const Outcome pipe =
        shell("cat " + trace + " | " + SOLIDTLM_TB_REPLAY + " --preset tiny --trace /dev/stdin");
    EXPECT_EQ(pipe.code, 2) << pipe.output;
}

TEST_F(TbReplay, FailedCommandsFailTheRun) {
    const Outcome run =
        replay("--preset tiny --set nand.rules.endurance_cycles=3 --workload random,read=0.5,count=100000");
    EXPECT_EQ(run.code, 1) << run.output;
    EXPECT_NE(run.output.find("commands failed"), std::string::npos);
}

TEST_F(TbReplay, ADriveThatPowersOnWithoutWriteCacheWritesThrough) {
    const std::string workload =
        " --preset tiny --workload random,read=0,count=500 --queue-depth 1 --quiet --out ";
    const auto mean = [&](const std::string& setting) {
        const fs::path out = folder_ / "cache";
        EXPECT_EQ(replay("--set " + setting + workload + out.string()).code, 0);
        std::ifstream stream(out / "result.json");
        return nlohmann::json::parse(stream)["host"]["write"]["latency_us"]["mean"].get<double>();
    };
    const double through = mean("firmware.write_buffer.policy=write_through");
    EXPECT_EQ(mean("sata.write_cache=false"), through);
    EXPECT_LT(mean("sata.write_cache=true"), through / 2);
}

TEST_F(TbReplay, RefusesZeroSizes) {
    expect_refused("--trace " + file("zero.nbd", std::string(kGoodTrace) + "40 R 0 0\n"), {"zero.nbd:6"});
    expect_refused("--workload random,size=0,count=10", {"size"});
    expect_refused("--workload random,count=0", {"count"});
}

TEST_F(TbReplay, RefusesImpossibleGeometryAndUnknownKeysAllAtOnce) {
    const std::string config = file("bad.toml",
                                    "[nand.geometry]\n"
                                    "channels = 0\n"
                                    "chanels = 4\n"
                                    "pages = \"many\"\n"
                                    "[firmware.allocation]\n"
                                    "order = \"CCDP\"\n");
    expect_refused("--config " + config + " --workload random,count=10",
                   {"bad.toml:2: nand.geometry.channels", "bad.toml:3: nand.geometry.chanels", "did you mean",
                    "bad.toml:4: nand.geometry.pages", "bad.toml:6: firmware.allocation.order"});
    expect_refused("--set nand.geometry.page_size=1000 --workload random,count=10",
                   {"nand.geometry.page_size"});
    expect_refused("--preset tinny --workload random,count=10", {"tiny"});
}

TEST_F(TbReplay, RefusesAnUnusableCommandLine) {
    expect_refused("", {"--trace", "--workload"});
    expect_refused("--workload random,count=10 --queue-depth 33", {"--queue-depth"});
    expect_refused("--workload sideways,count=10", {"sequential"});
    expect_refused("--wrokload random,count=1", {"--workload"});
}

TEST_F(TbReplay, SaysSoWhenTheResultCannotBeWritten) {
    const std::string run =
        std::string(SOLIDTLM_TB_REPLAY) + " --preset tiny --workload random,count=100 --quiet --out ";
    // A file size limit of one block: the write fails as on a full disk.
    const fs::path out = folder_ / "limited";
    const Outcome limited = shell("bash -c 'ulimit -f 1; " + run + out.string() + "'");
    EXPECT_EQ(limited.code, 1) << limited.output;
    EXPECT_NE(limited.output.find("cannot write"), std::string::npos) << limited.output;
    EXPECT_FALSE(fs::exists(out / "result.json")) << "half a result must not stay";
    const Outcome nowhere = shell(run + "/proc/nowhere");
    EXPECT_EQ(nowhere.code, 2) << nowhere.output;
}

TEST_F(TbReplay, SaysSoWhenTheDiskIsFull) {
    const fs::path disk = folder_ / "disk";
    fs::create_directories(disk);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
        GTEST_SKIP() << "mounting needs root";
    }
    const Outcome run = replay("--preset tiny --workload random,count=100 --quiet --out " + disk.string());
    EXPECT_EQ(run.code, 1) << run.output;
    EXPECT_NE(run.output.find("No space left on device"), std::string::npos) << run.output;
    EXPECT_FALSE(fs::exists(disk / "result.json"));
    umount(disk.c_str());
}

TEST(Firmware, KnowsNothingOfSystemC) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOLIDTLM_SOURCE_DIR) / "fw")) {
        if (!entry.is_regular_file()) {
            continue;
        }
        std::ifstream stream(entry.path());
        for (std::string line; std::getline(stream, line);) {
            if (line.starts_with("#include")) {
                EXPECT_EQ(line.find("systemc"), std::string::npos) << entry.path() << ": " << line;
                EXPECT_EQ(line.find("tlm"), std::string::npos) << entry.path() << ": " << line;
                EXPECT_EQ(line.find("\"hw/"), std::string::npos) << entry.path() << ": " << line;
            }
        }
    }
}

}  // namespace
