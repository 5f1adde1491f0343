// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/option_set.h"

#include <sstream>

namespace solidtlm::testbench {
namespace {

/// What stands for a value in the help.
std::string symbol(const platform::Allowed& allowed) {
    switch (allowed.type) {
        case platform::ValueType::integer:
            return "N";
        case platform::ValueType::number:
            return "X";
        case platform::ValueType::size:
            return "SIZE";
        case platform::ValueType::duration:
            return "T";
        default:
            return allowed.names.empty() ? "TEXT" : "NAME";
    }
}

}  // namespace

CLI::Option* OptionSet::add(const std::string& name, const platform::Allowed& allowed,
                            const std::string& help, const CLI::callback_t& take,
                            const std::function<std::string()>& shown) {
    return app_.add_option(name, take, help + "; " + allowed.range, false, shown)
        ->type_name(symbol(allowed))
        ->group(group_);
}

void OptionSet::refuse_again(const std::string& name, const std::string& element) {
    errors_.push_back(name + ": found " + element + " twice; allowed: each value once");
}

std::string OptionSet::place_of(const std::string& type) {
    if (type.starts_with("FILE") || type == "PATH") {
        return "file";
    }
    return type == "DIR" ? "folder" : "";
}

std::vector<std::string> OptionSet::elements_of(const std::vector<std::string>& lists) {
    std::vector<std::string> elements;
    for (const std::string& list : lists) {
        std::istringstream in(list + ",");
        for (std::string element; std::getline(in, element, ',');) {
            elements.push_back(element);
        }
    }
    return elements;
}

}  // namespace solidtlm::testbench
