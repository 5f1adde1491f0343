// SPDX-License-Identifier: Apache-2.0
#include "platform/toml_mistake.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "platform/units.h"

namespace solidtlm::platform {
namespace {

std::string_view line_of(std::string_view text, std::size_t line) {
    for (; line > 1; --line) {
        text.remove_prefix(std::min(text.size(), text.find('\n')));
        text.remove_prefix(text.empty() ? 0 : 1);
    }
    return text.substr(0, text.find_first_of("\r\n"));
}

/// Whether the value is text, such as tiny, 64GiB or random,read=0.7; not a number, true or a list.
bool is_bare(std::string_view value) {
    constexpr std::string_view kSigns = "_-.,:=%/ ";
    std::string lower(value);
    std::ranges::transform(lower, lower.begin(), [](unsigned char each) { return std::tolower(each); });
    return lower != "true" && lower != "false" &&
           std::ranges::any_of(lower, [](char each) { return each >= 'a' && each <= 'z'; }) &&
           std::ranges::all_of(lower, [&](unsigned char each) {
               return std::isalnum(each) != 0 ||
                      kSigns.find(static_cast<char>(each)) != std::string_view::npos;
           });
}

}  // namespace

std::string foreign_format(std::string_view text) {
    const auto holds = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    const std::string_view begin = at == std::string_view::npos ? std::string_view() : text.substr(at);
    if (begin.starts_with('{') || nlohmann::json::accept(begin)) {
        return holds("\"smartctl\"") ? "JSON of smartctl" : holds("\"fio version\"") ? "JSON of fio" : "JSON";
    }
    if (begin.starts_with("<!DOCTYPE html") || begin.starts_with("<html")) {
        return "a web page";
    }
    if (begin.starts_with("<?xml") || (begin.starts_with('<') && (holds("</") || holds("/>")))) {
        return holds("Execution_Parameter_Set") || holds("IO_Scenario") ? "XML of MQSim" : "XML";
    }
    if (begin.starts_with("#!")) {
        return "a script";
    }
    constexpr std::array kOfFioJobs{"rw=", "readwrite=", "ioengine=", "iodepth=", "bs=", "blocksize="};
    const bool job = std::ranges::any_of(
        kOfFioJobs, [&](const std::string& key) { return begin.starts_with(key) || holds("\n" + key); });
    return job && holds("[") ? "a job file of fio" : "";
}

std::string toml_mistake(std::string_view toml, std::size_t line, std::string_view said) {
    const std::string_view whole = line_of(toml, line);
    const std::size_t equals = whole.find('=');
    if (equals == std::string_view::npos) {
        return std::string(said);
    }
    const std::string key(trimmed(whole.substr(0, equals)));
    const std::string_view after = whole.substr(equals + 1);
    const std::string_view found = trimmed(after.substr(0, after.find('#')));
    const bool open = found.starts_with('"') && found.find('"', 1) == std::string_view::npos;
    const std::string_view text = open ? found.substr(1) : found;
    if (!is_bare(text)) {
        return std::string(said);
    }
    return "found " + key + " = " + std::string(found) + "; allowed: text, sizes and times in quotes, " +
           key + " = \"" + std::string(text) + "\"";
}

}  // namespace solidtlm::platform
