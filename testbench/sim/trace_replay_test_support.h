// SPDX-License-Identifier: Apache-2.0
//
// For tests that replay a trace on a whole drive.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>

#include "testbench/sim/host_settings.h"
#include "testbench/sim/request_source.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {

/// A trace, and how to replay it.
struct Replayed {
    const char* file;
    const char* format = "";
    const char* fit = "error";
    const char* pacing = "";
};

inline void PrintTo(const Replayed& replayed, std::ostream* out) {
    *out << replayed.file << " " << replayed.fit << " " << replayed.pacing;
}

/// A test's name for the trace and its options.
inline std::string replay_name(const ::testing::TestParamInfo<Replayed>& test) {
    std::string name = std::filesystem::path(test.param.file).filename().string();
    for (const std::string& how : {std::string(test.param.fit), std::string(test.param.pacing)}) {
        name += how.empty() || how == "error" ? "" : "_" + how;
    }
    for (char& letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
            letter = '_';
        }
    }
    return name;
}

/// Replays `limit` requests (0: all) of the trace in `folder` on a drive, and verifies the data.
inline void replay(const Replayed& replayed, const std::string& folder,
                   const platform::Configuration& configuration, std::uint64_t limit) {
    RunSpec run;
    run.configuration = configuration;
    run.traces = {(std::filesystem::path(folder) / replayed.file).string()};
    run.format = replayed.format;
    run.fit = replayed.fit;
    run.pacing = replayed.pacing;
    run.limit = limit;
    const auto source = make_request_source(run);
    const SimulationOutcome outcome = simulate(run, *source, *make_pacing(run));
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_EQ(outcome.result["host"]["requests"], *source->size());
    EXPECT_EQ(outcome.result["host"]["failed"], 0);
    EXPECT_EQ(outcome.result["host"]["issued"], outcome.result["host"]["completed"]);
    EXPECT_EQ(outcome.result["ledger"]["residual_ns"], 0.0);
}

}  // namespace solidtlm::testbench
