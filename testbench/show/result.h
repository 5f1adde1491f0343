// SPDX-License-Identifier: Apache-2.0
//
// The result of a run as JSON, schema `solidtlm.result/1`: docs/result.md explains every field,
// docs/schema/solidtlm.result.1.json is the JSON Schema.
//
// Invariants: the same inputs give the same bytes (apart from the fields that without_wall_times() removes);
// every number is finite; a value that does not exist (a percentile without samples, write amplification
// without writes) is null.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fw/hal/types.h"
#include "testbench/show/device_telemetry.h"
#include "testbench/show/host_metrics.h"

namespace solidtlm::testbench {

using Json = nlohmann::ordered_json;

constexpr std::string_view kResultSchema = "solidtlm.result/1";
/// Version of the project: "0.2.0".
[[nodiscard]] std::string_view version();

/// How the device was aged before the simulation began.
struct AgeingReport {
    std::string spec;  ///< in the syntax of parse_preconditioning()
    std::string text;  ///< what the drive holds, for the reader
    double wall_time_s = 0.0;
    std::uint64_t host_bytes = 0;             ///< bytes of write commands
    std::uint64_t programs = 0;               ///< pages programmed
    std::uint64_t erases = 0;                 ///< blocks erased
    std::uint64_t last_written_bytes = 0;     ///< bytes written by the last tenth of the random writes
    std::uint64_t last_programmed_bytes = 0;  ///< bytes programmed meanwhile
    std::uint64_t failed = 0;                 ///< failed commands
};

/// The run's part of a result.
struct RunInfo {
    std::string scenario;  ///< name of the executable or of its task
    std::uint64_t seed = 1;
    Json config = Json::object();  ///< complete configuration
    Ps sim_time{0};                ///< simulated time of the measured run
    double wall_time_s = 0.0;
    std::uint64_t requests = 0;  ///< requests that the host took from its source (CountedSource::requests)
    std::optional<AgeingReport> precondition;  ///< none: the device was new
};

struct VerifyCounts {
    std::uint64_t reads_checked = 0;  ///< read commands whose data was compared with the shadow model
    std::uint64_t mismatches = 0;     ///< sectors that read back different data
};

/// The result of one run of one device.
[[nodiscard]] Json make_result(const RunInfo& run, const HostMetrics& host, const DeviceTelemetry& device,
                               const VerifyCounts& verify);

/// One run among several: the varied parameters, and a result made by make_result().
struct Point {
    Json parameters = Json::object();
    Json result;
    /// numbers and names that the scenario derived from the result; omitted if empty
    Json derived = Json::object();
};

enum class Verdict : std::uint8_t { reproduced, partly, not_reproduced };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// A published claim next to the measured value. `published` and `measured` are a number, or text with a
/// unit.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Claim {
    std::string id;
    std::string claim;
    Json published;
    Json measured;
    Verdict verdict = Verdict::not_reproduced;
    std::string reason;  ///< why it was not reproduced, or only partly; may be empty
};

/// The study's part of a result. The configuration is the base of all points.
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

/// The document without fields that depend on the machine: the rest is the same for the same inputs.
[[nodiscard]] Json without_wall_times(Json document);

/// The text of result.json: indented by two, lists of plain values on one line, with a final newline.
[[nodiscard]] std::string to_text(const Json& document);

}  // namespace solidtlm::testbench
