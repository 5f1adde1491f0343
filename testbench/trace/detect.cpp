// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/detect.h"

#include <algorithm>
#include <vector>

#include "platform/names.h"
#include "testbench/trace/fields.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kSampleBytes = 65536;
constexpr std::uint64_t kSampleRecords = 256;

/// The beginning of the stream, up to its last whole line; binary data as it is.
std::string_view sample_of(InputStream& input) {
    std::string_view sample = input.peek(kSampleBytes);
    const std::size_t last_end = sample.rfind('\n');
    if (sample.size() == kSampleBytes && last_end != std::string_view::npos) {
        sample = sample.substr(0, last_end + 1);
    }
    return sample;
}

/// How many records of the sample the format's reader takes before it finds something wrong.
std::uint64_t records_taken(const Format& format, std::string_view sample) {
    std::uint64_t taken = 0;
    try {
        const auto reader = format.make(InputStream("sample", sample), {});
        TraceRecord record;
        while (taken < kSampleRecords && reader->read(record)) {
            ++taken;
        }
    } catch (const InputError&) {
        return taken;
    }
    return taken;
}

/// What tells the five-column formats apart: every one takes the others' lines.
struct ColumnEvidence {
    bool fractions = false;     ///< a time has a decimal point
    bool all_in_512 = true;     ///< every address and length is a multiple of 512
    std::uint64_t longest = 0;  ///< largest length
    std::uint64_t lines = 0;
};

ColumnEvidence five_column_evidence(std::string_view sample) {
    ColumnEvidence evidence;
    while (!sample.empty()) {
        std::string_view line = take_field(sample, '\n');
        const std::string_view time = take_word(line);
        take_word(line);  // device
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

/// MQSim counts whole nanoseconds, the others milliseconds with a fraction. A cut of an MSR volume has bytes:
/// multiples of 512 throughout, beyond what a request has in sectors.
void weigh_five_columns(std::string_view sample, platform::Names& names) {
    constexpr std::uint64_t kEnoughLines = 16;
    constexpr std::uint64_t kLongSectors = 4096;
    const auto has = [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const ColumnEvidence evidence = five_column_evidence(sample);
    if (has("mqsim") && !evidence.fractions) {
        names = {"mqsim"};
    } else if (has("msr_cut") && evidence.all_in_512 && evidence.lines >= kEnoughLines &&
               evidence.longest >= kLongSectors) {
        names = {"msr_cut"};
    }
}

}  // namespace

const Format& detect_format(InputStream& input) {
    const std::string_view sample = sample_of(input);
    std::uint64_t best = 0;
    platform::Names names;
    for (const Format* format : formats()) {
        const std::uint64_t taken = records_taken(*format, sample);
        if (taken > best) {
            best = taken;
            names.clear();
        }
        if (taken == best && taken > 0) {
            names.emplace_back(format->name);
        }
    }
    weigh_five_columns(sample, names);
    if (names.size() == 1) {
        return format_named(names.front());
    }
    std::string_view rest = sample;
    if (names.empty()) {
        throw InputError(input.path() + ":1: found " + quoted(take_field(rest, '\n')) +
                         ", expected the beginning of a trace in one of the formats " +
                         platform::join_names(platform::names_of(formats())));
    }
    throw InputError(input.path() + ": the format is ambiguous, the columns do not tell " +
                     platform::join_names(names) + " apart: say which with --format");
}

}  // namespace solidtlm::testbench
