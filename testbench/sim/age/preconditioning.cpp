// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/preconditioning.h"

#include <fmt/format.h>

#include "testbench/sim/load/spec_items.h"

namespace solidtlm::testbench {
namespace {

namespace kinds = platform::kinds;

using Key = platform::Key<Preconditioning>;

constexpr double kMostOverwrites = 1000;
constexpr std::string_view kNone = "none";

/// "1:0.01" or "1:0.01/2:0.02".
std::optional<std::vector<RepeatedTest>> read_tests(std::string_view text) {
    constexpr std::uint64_t kMostJobs = 1024;
    std::vector<RepeatedTest> tests;
    while (true) {
        const std::size_t slash = text.find('/');
        const std::string_view item = text.substr(0, slash);
        const std::size_t colon = item.find(':');
        const auto jobs = kinds::integer(1, kMostJobs).read(item.substr(0, colon));
        const auto writes = colon == std::string_view::npos
                                ? std::nullopt
                                : kinds::number_above(0, kMostOverwrites).read(item.substr(colon + 1));
        if (!jobs || !writes) {
            return std::nullopt;
        }
        tests.push_back({*jobs, *writes});
        if (slash == std::string_view::npos) {
            return tests;
        }
        text.remove_prefix(slash + 1);
    }
}

std::string write_tests(const std::vector<RepeatedTest>& tests) {
    std::string text;
    for (const RepeatedTest& test : tests) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : "/", test.jobs, test.writes);
    }
    return text;
}

const std::vector<Key>& preconditioning_keys() {
    static const std::vector<Key> keys = [] {
        constexpr double kSteepest = 10;                    ///< exponent
        constexpr std::uint64_t kMostBytes = 32ULL << 20U;  ///< of one ATA command
        return std::vector<Key>{
            {"fill", SOLIDTLM_FIELD(fill), kinds::share(), "fraction of the capacity that is written first"},
            {"random", SOLIDTLM_FIELD(random), kinds::number(0, kMostOverwrites),
             "how many times the filled part is then written, at random places"},
            {"size", SOLIDTLM_FIELD(size_bytes),
             kinds::size_in(1, hal::kSectorBytes, kMostBytes, hal::kSectorBytes),
             "length of a random request", "the mapping unit"},
            {"trim", SOLIDTLM_FIELD(trim), kinds::share(0, 0.99), "trims among the random requests"},
            {"pattern", SOLIDTLM_FIELD(pattern), kinds::one_of({"random", "zipf", "hotcold"}),
             "where the random requests go"},
            {"theta", SOLIDTLM_FIELD(theta), kinds::number(0, kSteepest), "zipf: exponent"},
            {"hot_space", SOLIDTLM_FIELD(hot_space), kinds::share(),
             "hotcold: share of the filled part that is hot"},
            {"hot_access", SOLIDTLM_FIELD(hot_access), kinds::share(),
             "hotcold: share of the requests that go there"},
            {"repeat", SOLIDTLM_FIELD(repeat),
             platform::Kind<std::vector<RepeatedTest>>{{platform::ValueType::text,
                                                        "tests of random writes, each with its threads from "
                                                        "1 to 1024 and how many times the filled "
                                                        "part they write together",
                                                        ": 1:0.01 or 1:0.01/4:0.02"},
                                                       read_tests,
                                                       write_tests},
             "then these tests; the n-th thread of each writes the same places in the same order, those of "
             "`seed` + n - 1 (fio's randrepeat)",
             "none"},
            {"read", SOLIDTLM_FIELD(read), kinds::number(0, kMostOverwrites),
             "how many times the filled part is then read, in order"},
            {"seed", SOLIDTLM_FIELD(seed), kinds::integer(), "of the random requests", "the configuration's"},
        };
    }();
    return keys;
}

}  // namespace

Preconditioning parse_preconditioning(std::string_view spec) {
    Preconditioning result;
    if (spec == kReads) {
        result.where_read = true;
        result.random = 0;
        return result;
    }
    if (spec == kNone) {
        result.fill = result.random = 0;
        return result;
    }
    Errors errors;
    if (!spec.empty()) {
        read_items(split_spec(spec), preconditioning_keys(), result, errors, "",
                   [](const Key& /*key*/) { return true; });
    }
    throw_spec_errors("--precondition", errors);
    return result;
}

Preconditioning where_read(const RequestSource& load) {
    Preconditioning result = parse_preconditioning(kReads);
    result.reads = load.reads();
    return result;
}

std::string to_text(const Preconditioning& preconditioning) {
    if (preconditioning.where_read) {
        return std::string(kReads);
    }
    if (preconditioning.fill == 0) {
        return std::string(kNone);  // all else is a share of the filled part
    }
    std::string text = fmt::format("fill={},random={}", preconditioning.fill, preconditioning.random);
    if (preconditioning.size_bytes != 0) {
        text += fmt::format(",size={}", preconditioning.size_bytes);
    }
    if (preconditioning.trim > 0) {
        text += fmt::format(",trim={}", preconditioning.trim);
    }
    if (preconditioning.pattern == "zipf") {
        text += fmt::format(",pattern=zipf,theta={}", preconditioning.theta);
    } else if (preconditioning.pattern == "hotcold") {
        text += fmt::format(",pattern=hotcold,hot_space={},hot_access={}", preconditioning.hot_space,
                            preconditioning.hot_access);
    }
    if (!preconditioning.repeat.empty()) {
        text += ",repeat=" + write_tests(preconditioning.repeat);
    }
    if (preconditioning.read > 0) {
        text += fmt::format(",read={}", preconditioning.read);
    }
    if (preconditioning.seed) {
        text += fmt::format(",seed={}", *preconditioning.seed);
    }
    return text;
}

std::string preconditioning_help() {
    return "none     the drive is empty\n"
           "reads    what the load will read is written, in order (where nothing else is said)\n" +
           key_help(preconditioning_keys());
}

}  // namespace solidtlm::testbench
