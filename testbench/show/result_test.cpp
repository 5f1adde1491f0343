// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/result.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fw/testing/files.h"
#include "fw/testing/places.h"
#include "testbench/show/figure.h"
#include "testbench/show/schema_test_support.h"
#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

TEST(Result, HostNumbersByHand) {
    const Json result = testing::sample_result();
    EXPECT_EQ(result.at("schema"), "solidtlm.result/1");
    EXPECT_EQ(result.at("scenario"), "tb_example");
    EXPECT_EQ(result.at("seed"), 7);
    EXPECT_DOUBLE_EQ(result.at("sim_time_s").get<double>(), 0.006);
    EXPECT_DOUBLE_EQ(result.at("requests_per_wall_s").get<double>(), 102 / 0.5);
    const Json& host = result.at("host");
    EXPECT_EQ(host.at("requests"), 102);
    EXPECT_EQ(host.at("issued"), 103);
    EXPECT_DOUBLE_EQ(host.at("measured_s").get<double>(), 5650e-6);
    EXPECT_DOUBLE_EQ(host.at("mean_outstanding").get<double>(), 1.0) << "one after another";
    const Json& read = host.at("read");
    EXPECT_EQ(read.at("count"), 100);
    EXPECT_EQ(read.at("bytes"), 409'600);
    EXPECT_DOUBLE_EQ(read.at("mb_per_s").get<double>(), 0.4096 / 5650e-6);
    EXPECT_DOUBLE_EQ(read.at("iops").get<double>(), 100 / 5650e-6);
    const Json& latency = read.at("latency_us");
    EXPECT_DOUBLE_EQ(latency.at("mean").get<double>(), 50.5);
    EXPECT_DOUBLE_EQ(latency.at("max").get<double>(), 100.0);
    constexpr double kError = LatencyHistogram::kRelativeError;
    EXPECT_NEAR(latency.at("p50").get<double>(), 50.0, 50.0 * kError);
    EXPECT_NEAR(latency.at("p95").get<double>(), 95.0, 95.0 * kError);
    EXPECT_NEAR(latency.at("p99").get<double>(), 99.0, 99.0 * kError);
    EXPECT_NEAR(latency.at("p999").get<double>(), 100.0, 100.0 * kError);
    EXPECT_DOUBLE_EQ(host.at("mb_per_s").get<double>(), (0.4096 + 0.008192) / 5650e-6)
        << "trims move no data";
}

TEST(Result, DeviceNumbersByHand) {
    const Json result = testing::sample_result();
    EXPECT_EQ(result.at(Pointer("/nand/reads")), 101);
    EXPECT_EQ(result.at(Pointer("/nand/programs")), 3);
    EXPECT_EQ(result.at(Pointer("/nand/erases")), 4);
    EXPECT_EQ(result.at(Pointer("/nand/by_cause/gc/programs")), 1);
    EXPECT_EQ(result.at(Pointer("/nand/programmed_bytes")), 3 * 16384);
    EXPECT_DOUBLE_EQ(result.at("write_amplification").get<double>(), 3.0 * 16384 / 32768);
    EXPECT_DOUBLE_EQ(result.at(Pointer("/utilization/dies/3")).get<double>(), 0.4);
    EXPECT_DOUBLE_EQ(result.at(Pointer("/utilization/dies_by_holder/gc")).get<double>(), 0.05);
    EXPECT_FALSE(result.at("utilization").contains("channels_by_holder")) << "not recorded";
    EXPECT_TRUE(result.at(Pointer("/firmware/buffer_hits")).is_number_integer());
    EXPECT_DOUBLE_EQ(result.at(Pointer("/firmware/mean_queue")).get<double>(), 1.5);
}

TEST(Result, StagesAddUpToTheMeanLatencyOfEachKind) {
    const Json result = testing::sample_result();
    const auto sum = [](const Json& stages) {
        double total = 0.0;
        for (const Json& us : stages) {
            total += us.get<double>();
        }
        return total;
    };
    const Json& ledger = result.at("ledger");
    EXPECT_NEAR(sum(ledger.at("stages_us")), 5650.0 / 103.0, 1e-9);
    EXPECT_NEAR(sum(ledger.at("by_operation").at("read")), 50.5, 1e-9);
    EXPECT_NEAR(sum(ledger.at("by_operation").at("flush")), 300.0, 1e-9);
    EXPECT_DOUBLE_EQ(ledger.at("by_operation").at("write").at("link_transfer").get<double>(), 10.0);
    EXPECT_EQ(ledger.at("residual_ns"), 0.0);
    EXPECT_EQ(ledger.at("stages_us").size(), hal::kStages - 13)
        << "no NVMe, no adapter, no power states, no reading ahead, and a host that took no time";
}

TEST(Result, HostTimeStagesExistIfTheHostTookTime) {
    HostMetrics metrics = testing::sample_metrics();
    Command command;
    command.ledger.start(hal::Stage::host_cpu, Ps{0});
    command.completed_at = Ps{103'000'000};
    command.ledger.enter(hal::Stage::completion, command.completed_at);
    testing::observe(metrics, command);
    const Json result =
        make_result(testing::sample_run(), metrics, testing::sample_telemetry(), VerifyCounts{});
    const Json& ledger = result.at("ledger");
    EXPECT_EQ(ledger.at("stages_us").size(), hal::kStages - 10)
        << "no NVMe, no adapter, no delays, no power states, no reading ahead";
    EXPECT_NEAR(ledger.at("stages_us").at("host_cpu").get<double>(), 103.0 / 104.0, 1e-9);
    EXPECT_EQ(ledger.at("by_operation").at("flush").at("interrupt_wait"), 0.0);
}

TEST(Result, NothingMeasuredGivesNullsAndZeros) {
    const Json result = make_result({}, {}, {}, {});
    EXPECT_TRUE(result.at(Pointer("/host/latency_us/p99")).is_null());
    EXPECT_TRUE(result.at(Pointer("/host/read/latency_us/mean")).is_null());
    EXPECT_EQ(result.at(Pointer("/host/read/mb_per_s")), 0.0);
    EXPECT_TRUE(result.at("write_amplification").is_null());
    EXPECT_EQ(result.at("requests_per_wall_s"), 0.0);
    EXPECT_TRUE(result.at(Pointer("/ledger/by_operation")).empty());
}

TEST(Result, NumbersThatAreNotFiniteBecomeNull) {
    DeviceTelemetry device;
    device.link = std::numeric_limits<double>::quiet_NaN();
    device.firmware.state("ratio", "", "", std::numeric_limits<double>::infinity());
    const Json result = make_result({}, {}, device, {});
    EXPECT_TRUE(result.at(Pointer("/utilization/link")).is_null());
    EXPECT_TRUE(result.at(Pointer("/firmware/ratio")).is_null());
}

TEST(Result, SameInputsSameBytesApartFromWallTimes) {
    RunInfo slow = testing::sample_run();
    slow.wall_time_s = 77.0;
    const Json other = make_result(slow, testing::sample_metrics(), testing::sample_telemetry(), {100, 0});
    const Json first = testing::sample_result();
    EXPECT_EQ(to_text(first), to_text(testing::sample_result()));
    EXPECT_NE(to_text(first), to_text(other));
    EXPECT_EQ(to_text(without_wall_times(first)), to_text(without_wall_times(other)));
    EXPECT_FALSE(without_wall_times(first).contains("requests_per_wall_s"));
}

TEST(Result, WallTimesOfPointsAreRemovedToo) {
    const Json study = testing::sample_study();
    const std::string text = to_text(without_wall_times(study));
    EXPECT_EQ(text.find("wall"), std::string::npos) << text;
    EXPECT_EQ(study.at("points").size(), without_wall_times(study).at("points").size());
}

TEST(Result, TextThatIsNotUtf8IsStillWritten) {
    RunInfo run = testing::sample_run();
    run.scenario = "trace \xff";
    EXPECT_NE(to_text(make_result(run, {}, {}, {})).find("trace \xef\xbf\xbd"), std::string::npos);
}

TEST(Result, ReadsBackAsItWasWritten) {
    const Json result = testing::sample_result();
    EXPECT_EQ(Json::parse(to_text(result)), result);
}

/// Runs the project's own checker on documents.
class ResultSchema : public ::testing::Test {
  protected:
    void SetUp() override {
        NEED_JSONSCHEMA();
        file_ = std::filesystem::temp_directory_path() /
                ("solidtlm_result_" + std::to_string(::getpid()) + ".json");
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove(file_, ignored);
    }
    enum class Complaints { shown, hidden };
    [[nodiscard]] bool rejected(const Json& document) const { return !valid(document, Complaints::hidden); }
    [[nodiscard]] bool valid(const Json& document, Complaints complaints = Complaints::shown) const {
        std::ofstream(file_) << to_text(document);
        const std::string command = "python3 '" + source_path("scripts/check-result") + "' '" +
                                    file_.string() +
                                    (complaints == Complaints::shown ? "'" : "' 2>/dev/null");
        return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c)
    }

  private:
    std::filesystem::path file_;
};

TEST_F(ResultSchema, AcceptsFullMinimalAndStudy) {
    EXPECT_TRUE(valid(testing::sample_result()));
    EXPECT_TRUE(valid(testing::sample_dedup_result()));
    RunInfo run;
    run.scenario = "tb_nothing";
    EXPECT_TRUE(valid(make_result(run, {}, {}, {})));
    EXPECT_TRUE(valid(testing::sample_study()));
    EXPECT_TRUE(valid(make_study_result({"tb_study", 1, Json::object(), 0.0}, {}, {})));
}

TEST_F(ResultSchema, RejectsViolationsOfTheSchema) {
    const Json good = testing::sample_result();
    ASSERT_TRUE(valid(good));
    const auto broken = [&good](const char* where, const Json& value) {
        Json copy = good;
        copy[Pointer(where)] = value;
        return copy;
    };
    EXPECT_TRUE(rejected(broken("/schema", "solidtlm.result/2")));
    EXPECT_TRUE(rejected(broken("/host/read/count", -1)));
    EXPECT_TRUE(rejected(broken("/host/read/latency_us/p99", "fast")));
    EXPECT_TRUE(rejected(broken("/ledger/stages_us/lunch", 1.0))) << "a stage that does not exist";
    EXPECT_TRUE(rejected(broken("/utilization/link", 1.5)));
    Json missing = good;
    missing["ledger"]["stages_us"].erase("array");
    EXPECT_TRUE(rejected(missing));
    missing = good;
    missing.erase("verify");
    EXPECT_TRUE(rejected(missing));
    Json study = testing::sample_study();
    study["claims"][0]["verdict"] = "maybe";
    EXPECT_TRUE(rejected(study));
}

TEST_F(ResultSchema, AcceptsFiguresOfEveryKind) {
    Json study = testing::sample_study();
    add_figures(study, testing::sample_figures());
    EXPECT_TRUE(valid(study));
    Json run = testing::sample_result();
    add_figures(run, testing::sample_figures());
    EXPECT_TRUE(valid(run));
    for (const char* field : {"id", "kind", "title", "caption", "x", "y"}) {
        Json broken = study;
        broken["figures"][0].erase(field);
        EXPECT_TRUE(rejected(broken)) << field;
    }
    Json broken = study;
    broken["figures"][0]["colour"] = "red";
    EXPECT_TRUE(rejected(broken));
    broken = study;
    broken["figures"][0]["series"][0]["values"] = {1.0};
    EXPECT_TRUE(rejected(broken)) << "a single number is not a point";
}

/// 1 mJ in 6 ms; about 409,600 + 16,384 bytes in 103 commands.
TEST(Result, EnergyByPartsAndPerByte) {
    const Json result = testing::sample_result();
    const Json& energy = result["energy"];
    EXPECT_DOUBLE_EQ(energy["seconds"], 0.006);
    EXPECT_DOUBLE_EQ(energy["total_j"], 0.001);
    EXPECT_DOUBLE_EQ(energy["mean_power_w"], 0.001 / 0.006);
    EXPECT_DOUBLE_EQ(energy["parts_j"]["nand.read"], 0.0004);
    const Json& host = result["host"];
    const double bytes = host["read"]["bytes"].get<double>() + host["write"]["bytes"].get<double>();
    EXPECT_DOUBLE_EQ(energy["nj_per_host_byte"], 1e6 / bytes);
    EXPECT_DOUBLE_EQ(energy["uj_per_command"], 1000.0 / host["completed"].get<double>());
    EXPECT_FALSE(result["hardware"].contains("energy.nand.read")) << "it has a section of its own";
}

TEST(ResultDocumentation, NamesEveryStageHolderAndField) {
    const std::string text = read_file(source_path("docs/result.md"));
    ASSERT_FALSE(text.empty());
    for (std::size_t i = 0; i < static_cast<std::size_t>(hal::Stage::die_wait); ++i) {
        EXPECT_NE(text.find("`" + std::string(hal::kStageNames[i]) + "`"), std::string::npos)
            << hal::kStageNames[i];
    }
    for (const std::string_view holder : hal::kHolderNames) {
        EXPECT_NE(text.find("`" + std::string(holder) + "`"), std::string::npos) << holder;
    }
    const Json result = testing::sample_result();
    for (const auto& [name, value] : result.items()) {
        EXPECT_NE(text.find("`" + name), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
