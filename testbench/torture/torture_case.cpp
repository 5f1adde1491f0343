// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/torture_case.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include "platform/names.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench {
namespace {

[[noreturn]] void refuse(const std::string& source, const toml::source_region& where, std::string_view key,
                         const std::string& why) {
    throw InputError(fmt::format("{}:{}: {}: {}", source, where.begin.line, key, why));
}

std::vector<std::string> read_list(const std::string& source, std::string_view key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr) {
        refuse(source, node.source(), key, "found no list; allowed: a list of strings");
    }
    std::vector<std::string> list;
    for (const toml::node& element : *array) {
        const auto* text = element.as_string();
        if (text == nullptr) {
            refuse(source, element.source(), key, "found an element that is no string; allowed: strings");
        }
        list.push_back(text->get());
    }
    return list;
}

}  // namespace

std::string join_items(const std::vector<std::string>& items) {
    return fmt::format("{}", fmt::join(items, ","));
}

std::string to_toml(const TortureCase& torture, std::string_view about) {
    std::ostringstream out;
    std::istringstream lines{std::string(about)};
    for (std::string line; std::getline(lines, line);) {
        std::ranges::replace_if(
            line, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');  // TOML has none in comments
        out << "# " << line << "\n";
    }
    out << "preset = " << toml::value<std::string>(torture.preset) << "\n";
    for (std::size_t i = 0; i < std::size(kCaseLists); ++i) {
        const auto& list = torture.*kCaseLists[i];
        if (list.empty()) {
            continue;
        }
        out << kCaseListNames[i] << " = [\n";
        for (const std::string& item : list) {
            out << "    " << toml::value<std::string>(item) << ",\n";
        }
        out << "]\n";
    }
    return out.str();
}

TortureCase parse_case(std::string_view toml, const std::string& source) {
    TortureCase torture;
    toml::table table;
    try {
        table = toml::parse(toml, source);
    } catch (const toml::parse_error& error) {
        refuse(source, error.source(), "not TOML", std::string(error.description()));
    }
    for (const auto& [key, node] : table) {
        const std::string_view name = key.str();
        const auto* found = std::find(std::begin(kCaseListNames), std::end(kCaseListNames), name);
        if (found != std::end(kCaseListNames)) {
            torture.*kCaseLists[found - std::begin(kCaseListNames)] = read_list(source, name, node);
        } else if (name == "preset" && node.is_string()) {
            torture.preset = node.as_string()->get();
        } else {
            platform::Names known(std::begin(kCaseListNames), std::end(kCaseListNames));
            known.emplace_back("preset");
            refuse(source, node.source(), name,
                   "found what is no key of a case; allowed: " + platform::join_names(known) +
                       " (preset: a string)" + platform::did_you_mean(name, known));
        }
    }
    return torture;
}

TortureCase read_case(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!std::filesystem::is_regular_file(file) || !(text << in.rdbuf())) {
        throw InputError(file.string() + ": cannot read the file");
    }
    return parse_case(text.str(), file.string());
}

}  // namespace solidtlm::testbench
