// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/detect.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "platform/names.h"
#include "testbench/trace/fields.h"
#include "testbench/trace/tar.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kSampleBytes = 65536;
constexpr std::uint64_t kSampleRecords = 256;
constexpr std::size_t kOddLines = 16;  ///< a reader gives up after this many errors
/// with more than one odd line among this many, the format is not accepted
constexpr std::uint64_t kOddLinesOneIn = 64;

/// The beginning of the stream up to its last whole line; binary data unchanged.
std::string_view sample_of(InputStream& input) {
    std::string_view sample = input.peek(kSampleBytes);
    const std::size_t last_end = sample.rfind('\n');
    if (sample.size() == kSampleBytes && last_end != std::string_view::npos) {
        sample = sample.substr(0, last_end + 1);
    }
    return sample;
}

/// How far a format's reader gets in the sample.
struct Attempt {
    const Format* format;
    std::uint64_t understood = 0;  ///< lines that certainly have this format
    std::size_t right = 0;         ///< correct fields before the first error
    std::string error = {};        ///< text of the first error
};

/// Continues after errors, which may be odd lines.
Attempt attempt(const Format& format, std::string_view sample, const std::string& path) {
    Attempt result{.format = &format};
    const auto reader = open_reader(format, {.stream = InputStream(path, sample), .format = format.name});
    std::uint64_t taken = 0;
    TraceRecord record;
    for (std::size_t errors = 0; errors < kOddLines;) {
        try {
            if (result.understood >= kSampleRecords || !reader->read(record)) {
                break;
            }
            ++taken;
        } catch (const FieldError& error) {
            if (errors++ == 0) {
                result.right = error.right();
                result.error = error.what();
            }
        } catch (const InputError&) {
            break;
        }
        result.understood = taken + reader->understood();
    }
    result.understood = taken + reader->understood();
    return result;
}

/// The properties that distinguish the five-column formats: each of them accepts the lines of the others.
struct ColumnEvidence {
    bool fractions = false;     ///< some time has a decimal point
    bool all_in_512 = true;     ///< every address and length is a multiple of 512
    std::uint64_t longest = 0;  ///< greatest length
    std::uint64_t lines = 0;
};

ColumnEvidence five_column_evidence(std::string_view sample) {
    ColumnEvidence evidence;
    while (!sample.empty()) {
        std::string_view line = take_field(sample, '\n');
        const std::string_view time = take_word(line);
        take_word(line);  // skips the device
        std::uint64_t address = 0;
        std::uint64_t length = 0;
        if (parse_number(take_word(line), address) && parse_number(take_word(line), length)) {
            ++evidence.lines;
            evidence.fractions = evidence.fractions || time.find('.') != std::string_view::npos;
            evidence.all_in_512 = evidence.all_in_512 && address % 512 == 0 && length % 512 == 0;
            evidence.longest = std::max(evidence.longest, length);
        }
    }
    return evidence;
}

using Attempts = std::vector<Attempt>;

/// MQSim has whole nanoseconds, the others milliseconds with a fraction. A cut of an MSR volume has bytes:
/// all values are multiples of 512, and some exceed any length in sectors. Returns the reason for the
/// remaining format; empty: undecided.
std::string weigh_five_columns(std::string_view sample, Attempts& fitting) {
    constexpr std::uint64_t kEnoughLines = 16;
    constexpr std::uint64_t kLongSectors = 4096;
    const auto keep = [&fitting](std::string_view name) {
        const auto is_it = [name](const Attempt& each) { return each.format->name == name; };
        if (fitting.size() < 2 || std::ranges::none_of(fitting, is_it)) {
            return false;
        }
        std::erase_if(fitting, [&is_it](const Attempt& each) { return !is_it(each); });
        return true;
    };
    const ColumnEvidence evidence = five_column_evidence(sample);
    if (!evidence.fractions && keep("mqsim")) {
        return "; its times are whole numbers, so nanoseconds";
    }
    if (evidence.all_in_512 && evidence.lines >= kEnoughLines && evidence.longest >= kLongSectors &&
        keep("msr_cut")) {
        return "; addresses and lengths are multiples of 512, so bytes";
    }
    return {};
}

/// If no reader understands the file, the error of the reader that got furthest is reported.
[[noreturn]] void refuse(std::string_view sample, const std::string& path, Attempts& attempts) {
    const std::string_view whole = sample;
    if (is_tar_header(whole)) {
        throw InputError(path + ": is a tar archive; unpack it (tar xf) and name the trace in it");
    }
    std::ranges::stable_sort(attempts, std::ranges::greater(), &Attempt::right);
    const std::size_t furthest = attempts.front().right;
    if (furthest == 0) {
        throw InputError(path + ":1: found " + quoted(take_field(sample, '\n')) +
                         ", expected the beginning of a trace in one of the formats " +
                         platform::join_names(platform::names_of(formats())) +
                         ", or --format columns:... (traces/README.md)");
    }
    platform::Names others;
    for (const Attempt& each : attempts) {
        if (each.right == furthest && &each != &attempts.front()) {
            others.emplace_back(each.format->name);
        }
    }
    throw InputError(attempts.front().error +
                     "; the format was recognised by the content: this reader got furthest" +
                     (others.empty() ? "" : ", as did " + platform::join_names(others)));
}

}  // namespace

Detected detect_format(InputStream& input) {
    const std::string_view sample = sample_of(input);
    Attempts attempts;
    std::uint64_t best = 0;
    for (const Format* format : formats()) {
        attempts.push_back(attempt(*format, sample, input.path()));
        best = std::max(best, attempts.back().understood);
    }
    if (best == 0) {
        refuse(sample, input.path(), attempts);
    }
    const std::uint64_t odd = std::max<std::uint64_t>(1, best / kOddLinesOneIn);
    std::erase_if(attempts, [best, odd](const Attempt& each) {
        return each.understood == 0 || each.understood + odd < best;
    });
    const std::string reason = weigh_five_columns(sample, attempts);
    platform::Names names;
    for (const Attempt& each : attempts) {
        names.emplace_back(each.format->name);
    }
    if (names.size() > 1) {
        throw InputError(input.path() + ": the format is ambiguous, the columns do not distinguish " +
                         platform::join_names(names) + ": say which with --format");
    }
    const Attempt& chosen = attempts.front();
    const std::string lines = chosen.understood == 1
                                  ? "its first line reads so"
                                  : "its first " + std::to_string(chosen.understood) + " lines read so";
    return {chosen.format, "by content: " + lines + reason};
}

}  // namespace solidtlm::testbench
