// SPDX-License-Identifier: Apache-2.0
//
// The forms in which lines of whole numbers are written to a file (docs/commands.md, "The binary form").
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "testbench/sim/files/streamed_file.h"

namespace solidtlm::testbench {

/// The values of a column are whole numbers.
struct TableColumn {
    /// In an optional column: the line has no value.
    static constexpr std::uint64_t kAbsent = UINT64_MAX;

    std::string_view name;
    std::span<const std::string_view> texts = {};  ///< not empty: a value is the index of one of these
    bool optional = false;
};
using TableColumns = std::vector<TableColumn>;

class TableEncoder {
  public:
    virtual ~TableEncoder() = default;
    /// `values`: whole lines, one after another.
    virtual void write(std::span<const std::uint64_t> values) = 0;
    /// No lines follow. Does not finish the file.
    virtual void finish() {}
};

/// In the form that the name of the file asks for. REQUIRES: is_table(path).
std::unique_ptr<TableEncoder> make_table_encoder(const std::filesystem::path& path,
                                                 const TableColumns& columns, StreamedFile& file);

}  // namespace solidtlm::testbench
