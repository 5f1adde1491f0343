// SPDX-License-Identifier: Apache-2.0
//
// The simulated numbers of a result, one per line as "path = value", and the differences between two such
// lists.
#pragma once

#include <istream>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// Values as JSON writes them, by path: "host.read.count" -> "1671". Doubles have all their digits.
using Numbers = std::map<std::string, std::string>;

/// True for values that depend on the machine or on the command line instead of the simulation, and for long
/// arrays: the numbers beside an array cover the same events.
inline bool is_left_out(std::string_view path) {
    for (const std::string_view left_out :
         {"schema", "version", "config", "parameters", "series", "latency_distribution", "wall_time_s",
          "requests_per_wall_s", "precondition.wall_time_s"}) {
        if (path == left_out) {
            return true;
        }
    }
    return false;
}

inline void add_numbers(const std::string& path, const Json& value, Numbers& numbers) {
    if (is_left_out(path)) {
        return;
    }
    if (!value.is_structured()) {
        numbers[path] = value.dump();
        return;
    }
    for (const auto& [name, part] : value.items()) {
        add_numbers(path.empty() ? name : path + "." + name, part, numbers);
    }
}

inline Numbers numbers_of(const Json& result) {
    Numbers numbers;
    add_numbers("", result, numbers);
    return numbers;
}

inline void write_numbers(const Numbers& numbers, std::ostream& out) {
    for (const auto& [path, value] : numbers) {
        out << path << " = " << value << '\n';
    }
}

inline Numbers read_numbers(std::istream& in) {
    Numbers numbers;
    for (std::string line; std::getline(in, line);) {
        const std::size_t split = line.find(" = ");
        if (split == std::string::npos) {
            throw std::runtime_error("found '" + line + "'; allowed: path = value");
        }
        numbers[line.substr(0, split)] = line.substr(split + 3);
    }
    return numbers;
}

struct NumberDifferences {
    std::vector<std::string> faults;  ///< numbers that changed or disappeared
    std::vector<std::string> added;   ///< numbers that are not recorded yet: not a fault
};

inline NumberDifferences differences(const Numbers& expected, const Numbers& found) {
    NumberDifferences result;
    for (const auto& [path, value] : expected) {
        const auto now = found.find(path);
        if (now == found.end()) {
            result.faults.push_back(path + ": " + value + " recorded, missing now");
        } else if (now->second != value) {
            result.faults.push_back(path + ": " + value + " recorded, " + now->second + " now");
        }
    }
    for (const auto& [path, value] : found) {
        if (!expected.contains(path)) {
            result.added.push_back(path + ": " + value + ", not recorded yet");
        }
    }
    return result;
}

}  // namespace solidtlm::testbench
