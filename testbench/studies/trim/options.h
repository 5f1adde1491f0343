// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_trim.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/trim/jobs.h"

namespace solidtlm::testbench::trim {

struct Options {
    std::vector<std::string> parts{"ranges", "filesystem", "latency", "ageing"};
    std::vector<std::string> drives{"jasmine", "given"};
    std::vector<std::string> mappings{"page", "cached", "hybrid"};
    std::vector<std::string> partials{"zeroed", "kept"};
    std::vector<std::string> sizes{"4k", "16k", "64k", "256k", "1m", "4m", "16m", "64m"};
    std::vector<std::uint32_t> ranges{1, 64};
    std::vector<std::uint32_t> counts{1, 2, 4, 8, 16, 32, 64};  ///< ranges of 16 KiB, scattered and aligned
    std::vector<std::string> placements{"contiguous", "scattered"};
    std::vector<std::string> starts{"aligned", "unaligned"};
    std::string region = "2g";
    std::string grain = "512";
    std::uint64_t trimmed = 512;  ///< ranges at most at each point
    std::vector<std::string> benchmarks{"postmark,files=5000,transactions=20000,size=4k-64k,memory=256MiB",
                                        "postmark,files=2000,transactions=5000,size=4k-64k,fsync=0.2",
                                        "filebench_delete"};
    std::vector<std::string> discards{"none", "per_extent", "batched", "queued", "fstrim"};
    std::uint64_t reads = 20000;
    std::string interval = "150us";  ///< mean, between two reads
    std::vector<std::uint32_t> trim_percent{0, 10, 25, 50};
    double rounds = 3;

    void add_to(CLI::App& app);
    /// Returns what is wrong. What depends on the devices is found when the jobs are made.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line);

    [[nodiscard]] bool has(const std::string& part) const;
    /// REQUIRES: check() has found nothing.
    [[nodiscard]] std::uint64_t region_bytes() const;
    [[nodiscard]] MixedSource::Load load() const;
    /// The shapes, each once, those of a line of growing sizes together.
    [[nodiscard]] std::vector<Shape> shapes() const;
};

}  // namespace solidtlm::testbench::trim
