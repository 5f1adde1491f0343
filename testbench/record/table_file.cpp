// SPDX-License-Identifier: Apache-2.0
#include "testbench/record/table_file.h"

namespace solidtlm::testbench {

TableFile::TableFile(const std::filesystem::path& path, std::string_view heading) : file_(path) {
    if (path.extension() == ".zst") {
        compressed_ = std::make_unique<ZstdOutput>([this](std::string_view bytes) { file_.write(bytes); },
                                                   ZstdOutput::On::another_thread);
    }
    write(heading);
}

TableFile::~TableFile() = default;

void TableFile::write(std::string_view line) {
    if (compressed_ != nullptr) {
        compressed_->sputn(line.data(), static_cast<std::streamsize>(line.size()));
    } else {
        file_.write(line);
    }
}

void TableFile::finish() {
    if (compressed_ != nullptr) {
        compressed_->finish();
    }
    file_.finish();
}

}  // namespace solidtlm::testbench
