// SPDX-License-Identifier: Apache-2.0
//
// A Value Change Dump (IEEE 1364-2005, clause 18), in picoseconds. Signals with word values have type string
// and changes `sWORD`, an extension of GTKWave that Surfer, pyvcd and others read too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/sim/files/streamed_file.h"

namespace solidtlm::testbench {

enum class SignalKind : std::uint8_t {
    bit,
    number,
    level,  ///< a number, best drawn as a curve
    word,
};

struct VcdSignal {
    std::string scope;  ///< below the top scope, with dots between parts
    std::string name;
    SignalKind kind = SignalKind::bit;
    std::uint32_t bits = 1;          ///< for bit, number and level
    std::vector<std::string> words;  ///< for word: the words by value, without spaces

    /// The name that viewers show.
    [[nodiscard]] std::string full_name() const;
};

class VcdWriter {
  public:
    static constexpr const char* kTopScope = "ssd";

    explicit VcdWriter(StreamedFile& file) : file_(file) {}

    /// Declares a signal; indices count from 0. REQUIRES: signals of one scope are declared one after the
    /// other.
    std::uint32_t declare(VcdSignal signal);
    [[nodiscard]] const std::vector<VcdSignal>& signals() const { return signals_; }

    void write_header();
    /// The values of all signals at the beginning of the dump.
    void write_values(hal::Ps at, const std::vector<std::uint64_t>& values);
    /// REQUIRES: `at` is not before that of the last call.
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
