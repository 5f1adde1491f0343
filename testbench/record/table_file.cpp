// SPDX-License-Identifier: Apache-2.0
#include "testbench/record/table_file.h"

namespace solidtlm::testbench {

TableFile::TableFile(const std::filesystem::path& path, std::string_view heading)
    : file_(path), lines_(kBatchBytes + TableLine::kMostColumns * TableLine::kCellBytes) {
    const auto write = [this](std::string_view bytes) { file_.write(bytes); };
    if (path.extension() == ".zst") {
        compressed_ = std::make_unique<ZstdOutput>(write, ZstdOutput::On::another_thread);
        compressed_->sputn(heading.data(), static_cast<std::streamsize>(heading.size()));
    } else {
        write(heading);
    }
}

TableFile::~TableFile() = default;

void TableFile::hand_over() {
    if (compressed_ != nullptr) {
        compressed_->sputn(lines_.data(), static_cast<std::streamsize>(used_));
    } else {
        file_.write({lines_.data(), used_});
    }
    used_ = 0;
}

void TableFile::finish() {
    hand_over();
    if (compressed_ != nullptr) {
        compressed_->finish();
    }
    file_.finish();
}

}  // namespace solidtlm::testbench
