// SPDX-License-Identifier: Apache-2.0
//
// Calls a fuzz target with the named files and with all files of the named folders. The tests use it instead
// of libFuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "testbench/torture/fuzz/fuzz_target.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> named_files(const std::vector<std::string>& arguments) {
    std::vector<fs::path> files;
    for (const std::string& argument : arguments) {
        if (fs::is_directory(argument)) {
            std::copy(fs::directory_iterator(argument), {}, std::back_inserter(files));
        } else {
            files.emplace_back(argument);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception is a finding
int main(int count, char** arguments) {
    const std::vector<fs::path> files = named_files({arguments + 1, arguments + count});
    for (const fs::path& file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        std::cout << file.string() << ": " << bytes.size() << " bytes" << std::endl;
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    if (files.empty()) {
        std::cerr << "error: no input\n";
        return 2;
    }
    return 0;
}
