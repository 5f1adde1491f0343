// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/detect.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/names.h"
#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/suggest.h"
#include "testbench/sim/load/trace/tar.h"

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
    std::string error = {};        ///< text of the first error
    std::string missing = {};      ///< evidence that is missing, in words
    std::string held = {};         ///< evidence that was found, in words
};

/// Continues after errors, which may be odd lines.
Attempt attempt(const Format& format, std::string_view sample, const std::string& path) {
    Attempt result{.format = &format};
    const auto reader = open_reader(format, {.stream = InputStream(path, sample), .format = format.name});
    std::uint64_t taken = 0;
    std::optional<EvidenceFound> evidence;
    if (format.columns != nullptr) {
        evidence.emplace(*format.columns, sample);
    }
    TraceRecord record;
    for (std::size_t errors = 0; errors < kOddLines;) {
        try {
            if (result.understood >= kSampleRecords || !reader->read(record)) {
                break;
            }
            ++taken;
            if (evidence) {
                evidence->add(record);
            }
        } catch (const FieldError& error) {
            if (errors++ == 0) {
                result.error = error.what();
            }
        } catch (const InputError&) {
            break;
        }
        result.understood = taken + reader->understood();
    }
    result.understood = taken + reader->understood();
    if (evidence) {
        evidence->finish(reader->counts().skipped);
        result.missing = evidence->missing();
        result.held = evidence->held();
    }
    return result;
}

using Attempts = std::vector<Attempt>;

platform::Names names_of(const Attempts& attempts) {
    platform::Names names;
    for (const Attempt& each : attempts) {
        names.emplace_back(each.format->name);
    }
    return names;
}

/// A line to paste for a table with a heading in plain words, if it reads the sample; empty: none.
std::string suggestion(std::string_view sample, const std::string& path) {
    const auto columns = suggest_columns(sample);
    if (!columns || attempt(declared({"columns", ""}, *columns), sample, path).understood == 0) {
        return {};
    }
    return "--format columns:'" + *columns + "' reads it; check its units, and its words for operations";
}

/// Formats that read the lines but lack evidence.
[[noreturn]] void refuse_without_evidence(std::string_view sample, const std::string& path,
                                          const Attempts& unproven) {
    std::string text = path + ": is no trace that is recognised by its content: ";
    for (const Attempt& each : unproven) {
        text += (&each == &unproven.front() ? "" : "; ") + std::string(each.format->name) +
                " reads its lines, but needs " + each.missing;
    }
    const std::string paste = suggestion(sample, path);
    throw InputError(
        text + ". If it is a trace, " +
        (paste.empty() ? "say its format with --format, or its columns (traces/README.md)" : paste));
}

/// The position of a byte that no text has; nothing: there is none.
std::optional<std::size_t> binary_byte(std::string_view sample) {
    const auto is_binary = [](char c) {
        return (static_cast<unsigned char>(c) < ' ' && !(c >= '\t' && c <= '\r') && c != '\x1b') ||
               c == '\x7f';
    };
    const auto found = std::ranges::find_if(sample, is_binary);
    return found != sample.end() ? std::optional<std::size_t>(found - sample.begin()) : std::nullopt;
}

/// No reader understands a line.
[[noreturn]] void refuse(std::string_view sample, const std::string& path) {
    if (is_tar_header(sample)) {
        throw InputError(path + ": is a tar archive; unpack it (tar xf) and name the trace in it");
    }
    if (const auto at = binary_byte(sample)) {
        throw InputError(path + ": found binary data (byte " + std::to_string(*at) + " has the value " +
                         std::to_string(static_cast<unsigned char>(sample[*at])) +
                         "), expected text, or a binary trace of vscsiStats or blktrace");
    }
    const std::string paste = suggestion(sample, path);
    const std::string found = path + ":1: found " + quoted(take_field(sample, '\n')) + ", expected ";
    if (!paste.empty()) {
        throw InputError(found + "a format that is known, or its columns: " + paste);
    }
    throw InputError(found + "the beginning of a trace in one of the formats " +
                     platform::join_names(platform::names_of(formats())) +
                     ", or --format columns:... (traces/README.md)");
}

/// Why other formats of as many numbers are none of these, as a part of a message.
std::string reasons_against_others(const Attempts& fitting, const Attempts& all) {
    const auto& columns = fitting.front().format->columns;
    std::string text;
    for (const Attempt& each : all) {
        const auto& other = each.format->columns;
        if (columns == nullptr || other == nullptr || other->exactly != columns->exactly ||
            other->separator != columns->separator || other->evidence.empty() ||
            std::ranges::find(fitting, each.format, &Attempt::format) != fitting.end()) {
            continue;
        }
        const std::string_view error = each.error;
        const std::string name = std::string(each.format->name) + ": ";
        const std::size_t at = error.find(name);
        const std::string why = at != std::string_view::npos ? std::string(error.substr(at + name.size()))
                                                             : "needs " + each.missing;
        text.append("; ").append(name).append(why);
    }
    return text;
}

[[noreturn]] void refuse_ambiguity(const std::string& path, const Attempts& fitting, const Attempts& all) {
    throw InputError(path + ": the format is ambiguous, the columns do not distinguish " +
                     platform::join_names(names_of(fitting)) + ": say which with --format" +
                     reasons_against_others(fitting, all));
}

/// Removes formats that understood fewer lines, apart from a few odd ones.
void keep_furthest(Attempts& attempts, std::uint64_t best) {
    const std::uint64_t odd = std::max<std::uint64_t>(1, best / kOddLinesOneIn);
    std::erase_if(attempts, [best, odd](const Attempt& each) {
        return each.understood == 0 || each.understood + odd < best;
    });
}

/// Of formats that understood every line, those with most evidence.
void keep_most_evidence(Attempts& fitting, std::uint64_t best) {
    const auto parts = [best](const Attempt& each) {
        const auto& columns = each.format->columns;
        return columns != nullptr && each.understood == best ? columns->evidence.size() : 0;
    };
    std::size_t most = 0;
    for (const Attempt& each : fitting) {
        most = std::max(most, parts(each));
    }
    if (most > 0) {
        std::erase_if(fitting, [&](const Attempt& each) { return parts(each) < most; });
    }
}

}  // namespace

Detected detect_format(InputStream& input) {
    const std::string_view sample = sample_of(input);
    Attempts all;
    std::uint64_t best = 0;
    for (const Format* format : formats()) {
        all.push_back(attempt(*format, sample, input.path()));
        best = std::max(best, all.back().understood);
    }
    if (best == 0) {
        refuse(sample, input.path());
    }
    Attempts fitting = all;
    std::erase_if(fitting, [](const Attempt& each) { return !each.missing.empty() || each.understood == 0; });
    if (fitting.empty()) {
        keep_furthest(all, best);
        refuse_without_evidence(sample, input.path(), all);
    }
    best = std::ranges::max(fitting, {}, &Attempt::understood).understood;
    keep_furthest(fitting, best);
    keep_most_evidence(fitting, best);
    if (fitting.size() > 1) {
        refuse_ambiguity(input.path(), fitting, all);
    }
    const Attempt& chosen = fitting.front();
    const std::string lines = chosen.understood == 1
                                  ? "its first line reads so"
                                  : "its first " + std::to_string(chosen.understood) + " lines read so";
    return {chosen.format, "by content: " + lines + (chosen.held.empty() ? "" : "; found " + chosen.held)};
}

}  // namespace solidtlm::testbench
