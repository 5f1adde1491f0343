// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/vcd_writer.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

/// Identifier codes: printable characters except space, least significant first.
std::string code_of(std::size_t index) {
    constexpr char kFirst = '!';
    constexpr std::size_t kCharacters = '~' - '!' + 1;
    std::string code;
    do {
        code += static_cast<char>(kFirst + static_cast<char>(index % kCharacters));
        index /= kCharacters;
    } while (index > 0);
    return code;
}

std::vector<std::string> parts_of(const std::string& scope) {
    std::vector<std::string> parts;
    std::istringstream stream(scope);
    for (std::string part; std::getline(stream, part, '.');) {
        parts.push_back(part);
    }
    return parts;
}

std::string range_of(const VcdSignal& signal) {
    return signal.bits > 1 ? "[" + std::to_string(signal.bits - 1) + ":0]" : std::string();
}

}  // namespace

std::string VcdSignal::full_name() const {
    return std::string(VcdWriter::kTopScope) + "." + scope + "." + name + range_of(*this);
}

std::uint32_t VcdWriter::declare(VcdSignal signal) {
    SOLIDTLM_CHECK(signals_.empty() || signals_.back().scope == signal.scope ||
                       std::none_of(signals_.begin(), signals_.end(),
                                    [&](const VcdSignal& other) { return other.scope == signal.scope; }),
                   "signals of one scope follow each other");
    codes_.push_back(code_of(signals_.size()));
    signals_.push_back(std::move(signal));
    return static_cast<std::uint32_t>(signals_.size() - 1);
}

void VcdWriter::write_scope(const std::string& from, const std::string& to) {
    const std::vector<std::string> old_parts = parts_of(from);
    const std::vector<std::string> new_parts = parts_of(to);
    const auto common = std::mismatch(old_parts.begin(), old_parts.end(), new_parts.begin(), new_parts.end());
    for (auto part = common.first; part != old_parts.end(); ++part) {
        file_.write("$upscope $end\n");
    }
    for (auto part = common.second; part != new_parts.end(); ++part) {
        file_.write("$scope module " + *part + " $end\n");
    }
}

void VcdWriter::write_header() {
    file_.write("$version SolidTLM $end\n$timescale 1 ps $end\n");
    file_.write(std::string("$scope module ") + kTopScope + " $end\n");
    std::string scope;
    for (std::size_t i = 0; i < signals_.size(); ++i) {
        const VcdSignal& signal = signals_[i];
        write_scope(scope, signal.scope);
        scope = signal.scope;
        const bool word = signal.kind == SignalKind::word;
        file_.write("$var " + std::string(word ? "string" : "wire") + " " + std::to_string(signal.bits) +
                    " " + codes_[i] + " " + signal.name + (signal.bits > 1 ? " " + range_of(signal) : "") +
                    " $end\n");
    }
    write_scope(scope, "");
    file_.write("$upscope $end\n$enddefinitions $end\n");
}

void VcdWriter::write_values(hal::Ps at, const std::vector<std::uint64_t>& values) {
    write_time(at);
    file_.write("$dumpvars\n");
    for (std::uint32_t signal = 0; signal < signals_.size(); ++signal) {
        write_value(signal, values[signal]);
    }
    file_.write("$end\n");
}

void VcdWriter::write_change(hal::Ps at, std::uint32_t signal, std::uint64_t value) {
    write_time(at);
    write_value(signal, value);
}

void VcdWriter::write_time(hal::Ps at) {
    SOLIDTLM_CHECK(at >= time_, "a dump goes forward in time");
    if (at != time_) {
        time_ = at;
        file_.write("#" + std::to_string(at.count()) + "\n");
    }
}

void VcdWriter::write_value(std::uint32_t signal, std::uint64_t value) {
    const VcdSignal& kind = signals_[signal];
    if (kind.kind == SignalKind::word) {
        file_.write("s" + kind.words[value] + " " + codes_[signal] + "\n");
    } else if (kind.bits == 1) {
        file_.write((value != 0 ? "1" : "0") + codes_[signal] + "\n");
    } else {
        std::string digits;
        for (std::uint64_t rest = value; rest != 0 || digits.empty(); rest >>= 1U) {
            digits += (rest & 1U) != 0 ? '1' : '0';
        }
        std::reverse(digits.begin(), digits.end());
        file_.write("b" + digits + " " + codes_[signal] + "\n");
    }
}

}  // namespace solidtlm::testbench
