// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/saved_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "testbench/programs/cli/command_line.h"
#include "testbench/show/comparison.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kShown = 20;  ///< number of differences

/// Collects each plain value by its path: "host.latency_us.mean", "points[3].result...".
void flatten(const Json& value, const std::string& place, std::map<std::string, Json>& flat) {
    if (value.is_object()) {
        for (const auto& [name, inner] : value.items()) {
            flatten(inner, fmt::format("{}{}{}", place, place.empty() ? "" : ".", name), flat);
        }
    } else if (value.is_array() && !value.empty()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            flatten(value[i], fmt::format("{}[{}]", place, i), flat);
        }
    } else {
        flat[place] = value;
    }
}

std::map<std::string, Json> flat(const Json& result) {
    std::map<std::string, Json> values;
    Json same = without_wall_times(result);
    same.erase("version");
    flatten(same, "", values);
    return values;
}

std::string shown(const Json* value) {
    return value != nullptr ? value->dump(-1, ' ', false, Json::error_handler_t::replace) : "nothing";
}

/// Why a file cannot be read; empty: it can.
std::string unreadable(const std::filesystem::path& file, const std::ifstream& opened) {
    using Type = std::filesystem::file_type;
    std::error_code error;
    switch (std::filesystem::status(file, error).type()) {
        case Type::not_found:
            return "no such file";
        case Type::directory:
            return "it is a directory";
        case Type::regular:
            return opened ? "" : "permission denied";
        case Type::none:  // a folder on the way may not be searched
            return "permission denied";
        default:
            return "it is a device or a pipe";
    }
}

/// Why a document cannot be a result of `program`; empty: it can.
std::string objection(const Json& document, const std::string& program) {
    if (!document.is_object() || document.value("schema", "") != kResultSchema) {
        return fmt::format("found {}; allowed: a result.json, {}",
                           document.is_discarded() ? "no JSON" : "JSON of another kind", kResultSchema);
    }
    const std::string scenario = document.value("scenario", "");
    return scenario == program ? "" : "found a result of " + scenario + "; allowed: one of " + program;
}

}  // namespace

std::shared_ptr<const SavedResult> read_saved_result(const std::string& option,
                                                     const std::filesystem::path& file,
                                                     const std::string& program, Errors& errors) {
    if (file.empty()) {
        return nullptr;
    }
    std::ifstream in(file, std::ios::binary);
    if (const std::string why = unreadable(file, in); !why.empty()) {
        errors.push_back(fmt::format("{}: {}: cannot read the file: {}", option, file.string(), why));
        return nullptr;
    }
    Json document = Json::parse(in, nullptr, false);
    std::string objected = objection(document, program);
    if (objected.empty() && option == "--compare-result" && document.contains("points")) {
        objected = "found the result of several runs; allowed: of one";
    }
    if (!objected.empty()) {
        errors.push_back(fmt::format("{}: {}: {}", option, file.string(), objected));
        return nullptr;
    }
    return std::make_shared<const SavedResult>(SavedResult{file.string(), std::move(document)});
}

std::string version_note(const SavedResult& saved) {
    const std::string theirs =
        saved.document.value("version", "an unknown version");  // early results have no version
    return theirs == version() ? "" : fmt::format("{} is of {}, this is {}", saved.file, theirs, version());
}

Errors differences(const Json& saved, const Json& found) {
    const std::map<std::string, Json> before = flat(saved);
    const std::map<std::string, Json> after = flat(found);
    std::map<std::string, Json> all = before;
    all.insert(after.begin(), after.end());
    Errors texts;
    for (const auto& [place, unused] : all) {
        const auto old = before.find(place);
        const auto now = after.find(place);
        const Json* was = old == before.end() ? nullptr : &old->second;
        const Json* is = now == after.end() ? nullptr : &now->second;
        if (was == nullptr || is == nullptr || *was != *is) {
            texts.push_back(fmt::format("{}: found {}, saved {}", place, shown(is), shown(was)));
        }
    }
    // Inputs explain the other differences, so parameters and configuration come first; then what the host
    // saw.
    for (const char* part : {"host.", "config.", "parameters."}) {
        std::stable_partition(texts.begin(), texts.end(),
                              [part](const auto& text) { return text.starts_with(part); });
    }
    return texts;
}

bool same_again(const SavedResult& saved, const Json& result, bool quiet) {
    const Errors found = differences(saved.document, result);
    const std::string note = version_note(saved);
    const std::string about = note.empty() ? "" : "; " + note;
    if (found.empty()) {
        if (!quiet) {
            std::cout << "the same result as " << saved.file << about << "\n" << std::flush;
        }
        return true;
    }
    report_error(std::cerr, fmt::format("{} values differ from {}{}", found.size(), saved.file, about));
    for (std::size_t i = 0; i < std::min(kShown, found.size()); ++i) {
        report_error(std::cerr, found[i]);
    }
    return false;
}

std::string beside(const SavedResult& saved, const Json& result, const TextStyle& style) {
    const Json both{{"points",
                     {{{"parameters", {{"device", saved.file}}}, {"result", saved.document}},
                      {{"parameters", {{"device", "this run"}}}, {"result", result}}}}};
    std::string text = version_note(saved);
    text += text.empty() ? "" : "\n";
    const auto inputs = [](const Json& of) {
        return Json{{"config", of.at("config")}, {"parameters", of.value("parameters", Json::object())}};
    };
    for (const std::string& each : differences(inputs(saved.document), inputs(result))) {
        text += each + "\n";
    }
    return text + comparison_text(both, style);
}

}  // namespace solidtlm::testbench
