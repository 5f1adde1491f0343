// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_btree. Defaults of what the study does not give (docs/btree.md): an integer and a
// pointer of four bytes each; 64 pages in the buffer; 8 log blocks, the middle of 1 to 64 in powers of two; a
// mirror for every logical block, because the text of the study speaks of no limit; pages programmed in any
// order.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/btree/counting.h"
#include "testbench/workload/btree/load.h"

namespace solidtlm::testbench::btree {

struct Options {
    std::uint64_t inserts = 100'000;
    std::vector<std::uint32_t> page_bytes{kPublishedPageBytes.begin(), kPublishedPageBytes.end()};
    std::uint32_t entry_bytes = 8;
    std::uint32_t buffer_pages = 64;
    std::uint32_t log_blocks = 8;
    std::uint32_t mirror_blocks = 0;
    bool pin_root = false;
    bool no_drive = false;
    bool no_sensitivity = false;

    void add_to(CLI::App& app);
    /// Returns what is wrong.
    [[nodiscard]] std::vector<std::string> check(const CommandLine& line) const;

    [[nodiscard]] Load load(std::uint32_t tree_page_bytes, std::uint64_t seed) const;
    [[nodiscard]] LayerSetting setting(Layer layer) const;
};

/// Of the configured device.
[[nodiscard]] Flash flash_of(const platform::Configuration& configuration);

}  // namespace solidtlm::testbench::btree
