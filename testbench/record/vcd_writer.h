// SPDX-License-Identifier: Apache-2.0
//
// A Value Change Dump (IEEE 1364-2005, clause 18), in picoseconds. Signals that are words are of type string
// with changes `sWORD`, the extension that GTKWave introduced and Surfer, pyvcd and others read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/files/streamed_file.h"

namespace solidtlm::testbench {

enum class SignalKind : std::uint8_t {
    bit,
    number,
    level,  ///< a number that is best drawn as a curve
    word,
};

struct VcdSignal {
    std::string scope;  ///< below the top scope, parts separated by dots
    std::string name;
    SignalKind kind = SignalKind::bit;
    std::uint32_t bits = 1;          ///< bit, number and level
    std::vector<std::string> words;  ///< word: by value; without blanks

    /// As viewers call it.
    [[nodiscard]] std::string full_name() const;
};

class VcdWriter {
  public:
    static constexpr const char* kTopScope = "ssd";

    explicit VcdWriter(StreamedFile& file) : file_(file) {}

    /// REQUIRES: signals of one scope follow each other. Indices count from 0.
    std::uint32_t declare(VcdSignal signal);
    [[nodiscard]] const std::vector<VcdSignal>& signals() const { return signals_; }

    void write_header();
    /// The values of all signals at the beginning of the dump.
    void write_values(hal::Ps at, const std::vector<std::uint64_t>& values);
    /// REQUIRES: `at` not before that of the last call.
    void write_change(hal::Ps at, std::uint32_t signal, std::uint64_t value);
    /// The dump ends at `at`.
    void write_end(hal::Ps at) { write_time(at); }

  private:
    void write_time(hal::Ps at);
    void write_value(std::uint32_t signal, std::uint64_t value);
    void write_scope(const std::string& from, const std::string& to);

    StreamedFile& file_;
    std::vector<VcdSignal> signals_;
    std::vector<std::string> codes_;
    hal::Ps time_{-1};
};

}  // namespace solidtlm::testbench
