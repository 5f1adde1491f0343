// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/table_encoder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "fw/hal/check.h"
#include "testbench/sim/files/zstd_stream.h"
#include "testbench/watch/decimal.h"
#include "testbench/watch/settings.h"

namespace solidtlm::testbench {
namespace {

/// Comma-separated values, compressed or not.
class CsvEncoder : public TableEncoder {
  public:
    CsvEncoder(const TableColumns& columns, StreamedFile& file, bool compressed)
        : columns_(columns), file_(file) {
        if (compressed) {
            compressed_ = std::make_unique<ZstdOutput>([this](std::string_view bytes) { file_.write(bytes); },
                                                       ZstdOutput::Of::lines);
        }
        std::string heading;
        for (const TableColumn& column : columns_) {
            heading.append(column.name).append(",");
            std::size_t longest = kDecimalBytes;
            for (const std::string_view text : column.texts) {
                longest = std::max(longest, text.size());
            }
            longest_ += longest + 1;
        }
        heading.back() = '\n';
        put(heading);
        plain_after_.resize(columns_.size());
        for (std::size_t plain = 0, i = columns_.size(); i-- > 0;) {
            plain = columns_[i].texts.empty() && !columns_[i].optional ? plain + 1 : 0;
            plain_after_[i] = plain;
        }
    }

    void write(std::span<const std::uint64_t> values) override {
        text_.resize(values.size() / columns_.size() * longest_);
        char* at = text_.data();
        for (const std::uint64_t* value = values.data(); value != values.data() + values.size();) {
            for (std::size_t i = 0; i < columns_.size();) {
                if (plain_after_[i] >= kTogether && all_zero(value)) {
                    at += kZeros.copy(at, kZeros.size());
                    i += kTogether;
                    value += kTogether;
                } else {
                    at = put_cell(at, columns_[i++], *value++);
                    *at++ = ',';
                }
            }
            at[-1] = '\n';
        }
        put({text_.data(), static_cast<std::size_t>(at - text_.data())});
    }
    void finish() override {
        if (compressed_ != nullptr) {
            compressed_->finish();
        }
    }

  private:
    /// Of a ledger's stages most are 0.
    static constexpr std::string_view kZeros = "0,0,0,0,";
    static constexpr std::size_t kTogether = kZeros.size() / 2;
    static bool all_zero(const std::uint64_t* value) {
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < kTogether; ++i) {
            any |= value[i];
        }
        return any == 0;
    }
    static char* put_cell(char* at, const TableColumn& column, std::uint64_t value) {
        if (!column.texts.empty()) {
            return at + column.texts[value].copy(at, std::string_view::npos);
        }
        return column.optional && value == TableColumn::kAbsent ? at : put_decimal(at, value);
    }
    void put(std::string_view text) {
        if (compressed_ != nullptr) {
            compressed_->sputn(text.data(), static_cast<std::streamsize>(text.size()));
        } else {
            file_.write(text);
        }
    }

    TableColumns columns_;
    StreamedFile& file_;
    std::unique_ptr<ZstdOutput> compressed_;  ///< null: not compressed
    std::vector<std::size_t> plain_after_;    ///< by column: this and those after it that are always numbers
    std::vector<char> text_;
    std::size_t longest_ = 0;  ///< line, in bytes
};

/// Blocks of columns as they are in memory.
class ColumnsEncoder : public TableEncoder {
  public:
    ColumnsEncoder(const TableColumns& columns, StreamedFile& file) : columns_(columns.size()), file_(file) {
        nlohmann::ordered_json heading = nlohmann::ordered_json::array();
        for (const TableColumn& column : columns) {
            heading.push_back(
                {{"name", column.name}, {"texts", column.texts}, {"optional", column.optional}});
        }
        file_.write(heading.dump() + "\n");
    }

    void write(std::span<const std::uint64_t> values) override {
        const std::size_t lines = values.size() / columns_;
        block_.assign(1, lines);
        for (std::size_t column = 0; column < columns_; ++column) {
            for (std::size_t line = 0; line < lines; ++line) {
                block_.push_back(values[line * columns_ + column]);
            }
        }
        const std::span<const std::byte> bytes = std::as_bytes(std::span(block_));
        file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }

  private:
    std::size_t columns_;
    StreamedFile& file_;
    std::vector<std::uint64_t> block_;
};

}  // namespace

std::unique_ptr<TableEncoder> make_table_encoder(const std::filesystem::path& path,
                                                 const TableColumns& columns, StreamedFile& file) {
    SOLIDTLM_CHECK(is_table(path), "the name says in which form the table is written");
    if (path.extension() == ".columns") {
        return std::make_unique<ColumnsEncoder>(columns, file);
    }
    return std::make_unique<CsvEncoder>(columns, file, path.extension() == ".zst");
}

}  // namespace solidtlm::testbench
