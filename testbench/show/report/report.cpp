// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/report/report.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "testbench/show/report/embedded.h"

namespace solidtlm::testbench {
namespace {

/// The document for use inside a script element. In JSON, "<" occurs only in strings, where it may be written
/// as \u003c; then no text can end the element.
std::string json_for_script(const Json& result) {
    const std::string text = result.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char letter : text) {
        if (letter == '<') {
            safe += "\\u003c";
        } else {
            safe += letter;
        }
    }
    return safe;
}

}  // namespace

std::string report_page(const Json& result) {
    const std::string json = json_for_script(result);
    const std::array<std::pair<std::string_view, std::string_view>, 4> parts{
        {{"@style@", embedded::style()},
         {"@result@", json},
         {"@library@", embedded::library()},
         {"@script@", embedded::script()}}};
    std::string page;
    std::string_view rest = embedded::page();
    for (const auto& [mark, text] : parts) {
        const std::size_t place = rest.find(mark);
        if (place == std::string_view::npos) {
            throw std::logic_error("page.html has no place for " + std::string(mark));
        }
        page.append(rest.substr(0, place)).append(text);
        rest.remove_prefix(place + mark.size());
    }
    return page.append(rest);
}

}  // namespace solidtlm::testbench
