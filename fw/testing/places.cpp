// SPDX-License-Identifier: Apache-2.0
#include "fw/testing/places.h"

#include <filesystem>

namespace solidtlm {

std::string source_path(std::string_view below) {
    return SOLIDTLM_SOURCE_DIR "/" + std::string(below);
}

std::string built_path(std::string_view executable) {
    return std::filesystem::read_symlink("/proc/self/exe").replace_filename(executable);
}

}  // namespace solidtlm
