// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/gtkwave_save.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace solidtlm::testbench {
namespace {

// Flags of a trace (GTKWave's analyzer.h).
constexpr unsigned kHexadecimal = 0x2;
constexpr unsigned kDecimal = 0x4;
constexpr unsigned kBinary = 0x8;
constexpr unsigned kRightJustify = 0x20;
constexpr unsigned kAscii = 0x800;
constexpr unsigned kAnalogStep = 0x8000;
constexpr unsigned kAnalogExtension = 0x20000;  ///< adds one line of height to the trace above
constexpr unsigned kBlank = 0x200;
constexpr unsigned kGroupBegin = 0x800000;
constexpr unsigned kGroupEnd = 0x1000000;

unsigned format_of(SignalKind kind) {
    switch (kind) {
        case SignalKind::bit:
            return kBinary | kRightJustify;
        case SignalKind::number:
            return kHexadecimal | kRightJustify;
        case SignalKind::level:
            return kDecimal | kRightJustify | kAnalogStep;
        case SignalKind::word:
            break;
    }
    return kAscii | kRightJustify;
}

void add_signal(std::string& text, const VcdSignal& signal) {
    text += fmt::format("@{:x}\n{}\n", format_of(signal.kind), signal.full_name());
    if (signal.kind == SignalKind::level) {
        constexpr int kExtraLines = 2;
        for (int i = 0; i < kExtraLines; ++i) {
            text += fmt::format("@{:x}\n-\n", kAnalogExtension);
        }
    }
}

/// GTKWave's zoom: minus the binary logarithm of the number of time units in 200 pixels.
double zoom_of(const RecordWindow& window) {
    constexpr double kPixels = 900.0;
    constexpr double kPixelsPerFrame = 200.0;
    const auto span = static_cast<double>(std::max<std::int64_t>(1, (window.to - window.from).count()));
    return -std::log2(span * kPixelsPerFrame / kPixels);
}

}  // namespace

std::string gtkwave_save(const std::filesystem::path& vcd, const std::vector<VcdSignal>& signals,
                         const RecordWindow& window) {
    std::string text = "[*] SolidTLM\n";
    text += fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", std::filesystem::absolute(vcd).string(),
                        std::filesystem::absolute(gtkwave_save_path(vcd)).string());
    text += fmt::format("[timestart] {}\n[size] 1600 1000\n[pos] -1 -1\n", window.from.count());
    text += fmt::format("*{:.6f} {}\n[sst_width] 200\n[signals_width] 340\n[sst_expanded] 0\n",
                        zoom_of(window), window.from.count());
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (i == 0 || signals[i].scope != signals[i - 1].scope) {
            text += fmt::format("@{:x}\n-{}\n", kGroupBegin | kBlank, signals[i].scope);
        }
        add_signal(text, signals[i]);
        if (i + 1 == signals.size() || signals[i + 1].scope != signals[i].scope) {
            text += fmt::format("@{:x}\n-{}\n", kGroupEnd | kBlank, signals[i].scope);
        }
    }
    return text;
}

}  // namespace solidtlm::testbench
