// SPDX-License-Identifier: Apache-2.0
//
// The result of a run as JSON, schema `solidtlm.result/1`: docs/result.md explains every field,
// docs/schema/solidtlm.result.1.json is the JSON Schema.
//
// Invariants: same inputs, same bytes (apart from the fields that without_wall_times() removes); every number
// is finite; what has no value (a percentile of nothing, write amplification without writes) is null.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fw/hal/types.h"
#include "testbench/results/device_telemetry.h"
#include "testbench/results/host_metrics.h"

namespace solidtlm::testbench {

using Json = nlohmann::ordered_json;

constexpr std::string_view kResultSchema = "solidtlm.result/1";
/// Of the project: "0.2.0".
[[nodiscard]] std::string_view version();

/// How the device was aged before the simulation began.
struct AgeingReport {
    std::string spec;  ///< as parse_preconditioning() reads it
    double wall_time_s = 0.0;
    std::uint64_t host_bytes = 0;             ///< written by write commands
    std::uint64_t programs = 0;               ///< pages
    std::uint64_t erases = 0;                 ///< blocks
    std::uint64_t last_written_bytes = 0;     ///< by the last tenth of the random writes
    std::uint64_t last_programmed_bytes = 0;  ///< meanwhile
    std::uint64_t failed = 0;                 ///< commands
};

/// What a result says about the run itself.
struct RunInfo {
    std::string scenario;  ///< name of the executable or of what it did
    std::uint64_t seed = 1;
    Json config = Json::object();  ///< effective configuration
    Ps sim_time{0};                ///< simulated time of the measured run
    double wall_time_s = 0.0;
    std::uint64_t requests = 0;  ///< requests the host took from its source (CountedSource::requests)
    std::optional<AgeingReport> precondition;  ///< none: the device was new
};

struct VerifyCounts {
    std::uint64_t reads_checked = 0;  ///< read commands whose data was compared with the shadow model
    std::uint64_t mismatches = 0;     ///< sectors that read back something else
};

/// The result of one run of one device.
[[nodiscard]] Json make_result(const RunInfo& run, const HostMetrics& host, const DeviceTelemetry& device,
                               const VerifyCounts& verify);

/// One run among several: what was varied, and a result as made by make_result().
struct Point {
    Json parameters = Json::object();
    Json result;
    Json derived = Json::object();  ///< what the scenario made of it: numbers and names; left out when empty
};

enum class Verdict : std::uint8_t { reproduced, partly, not_reproduced };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// A published claim next to what was measured. `published` and `measured` are a number, or text with unit.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Claim {
    std::string id;
    std::string claim;
    Json published;
    Json measured;
    Verdict verdict = Verdict::not_reproduced;
    std::string reason;  ///< why it was not reproduced, or only partly; may be empty
};

/// What a study says about itself; the configuration is the one its points start from.
struct StudyInfo {
    std::string scenario;
    std::uint64_t seed = 1;
    Json config = Json::object();
    double wall_time_s = 0.0;
};

/// The result of a scenario with several points; `series` and `latency_distribution` of the points are left
/// out.
[[nodiscard]] Json make_study_result(const StudyInfo& study, std::span<const Point> points,
                                     std::span<const Claim> claims);

/// The document without what depends on the machine it ran on: what is left is the same for the same inputs.
[[nodiscard]] Json without_wall_times(Json document);

/// The text of result.json: indented by two, lists of plain values on one line, ends with a newline.
[[nodiscard]] std::string to_text(const Json& document);

}  // namespace solidtlm::testbench
