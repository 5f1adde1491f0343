// SPDX-License-Identifier: Apache-2.0
//
// Every key of the configuration does something: on a drive that reaches it another value changes the result
// of a run or is refused, or every_key.toml says why neither happens. And where a key does nothing, it is
// refused (platform/idle_keys.h).
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fw/testing/places.h"
#include "platform/configuration_keys.h"
#include "testbench/torture/load.h"
#include "testbench/torture/run_case.h"

namespace solidtlm::testbench {
namespace {

using Texts = std::vector<std::string>;
using Values = std::map<std::string, std::string>;  ///< by key

struct KeyDrive {
    std::string name;
    TortureCase run;
    Values keys;
    Values refused;
    Values accepted;  ///< reasons
};
struct EveryKey {
    std::vector<KeyDrive> drives;
    Values without_effect;  ///< reasons
};

Texts texts_of(const toml::table& table, std::string_view name) {
    Texts texts;
    if (const toml::array* array = table[name].as_array()) {
        for (const toml::node& each : *array) {
            texts.push_back(each.value<std::string>().value());
        }
    }
    return texts;
}

Values values_of(const toml::table& table, std::string_view name) {
    Values values;
    if (const toml::table* inner = table[name].as_table()) {
        for (const auto& [key, value] : *inner) {
            values[std::string(key.str())] = value.value<std::string>().value();
        }
    }
    return values;
}

const EveryKey& every_key() {
    static const EveryKey all = [] {
        const toml::table file = toml::parse_file(source_path("testbench/torture/every_key.toml"));
        EveryKey read;
        for (const toml::node& node : *file["drive"].as_array()) {
            const toml::table& drive = *node.as_table();
            TortureCase run;
            run.settings = texts_of(drive, "settings");
            run.load = texts_of(drive, "load");
            run.workload = texts_of(drive, "workload");
            run.precondition = texts_of(drive, "precondition");
            run.cuts = texts_of(drive, "cuts");
            read.drives.push_back({drive["name"].value<std::string>().value(), run, values_of(drive, "keys"),
                                   values_of(drive, "refused"), values_of(drive, "accepted")});
        }
        read.without_effect = values_of(file, "without_effect");
        return read;
    }();
    return all;
}

TortureCase with(TortureCase run, const std::string& key, const std::string& value) {
    run.settings.push_back(key + "=" + value);
    return run;
}

/// The drive as a user would ask for it. Throws platform::ConfigurationError.
platform::Configuration drive_of(const TortureCase& run) {
    platform::ConfigurationSources sources;
    sources.preset = run.preset;
    sources.settings = run.settings;
    return platform::load_configuration(sources);
}

/// Whether a user who asks for this drive is told that a mistake is in `key`.
bool is_refused(const TortureCase& run, const std::string& key) {
    try {
        (void)drive_of(run);
        return false;
    } catch (const platform::ConfigurationError& error) {
        EXPECT_TRUE(
            std::ranges::any_of(error.issues(), [&key](const auto& issue) { return issue.key == key; }))
            << key << ": " << error.what();
        return true;
    }
}

/// Those of `values` that change the result of `run`, or that fail.
Texts changing(const TortureCase& run, const Values& values) {
    std::vector<CaseJob> jobs{{"without", [run] { return run_as_user(run); }}};
    for (const auto& [key, value] : values) {
        jobs.push_back({key, [other = with(run, key, value)] { return run_as_user(other); }});
    }
    const std::vector<CaseOutcome> outcomes = run_in_children(jobs, 1);
    const auto told = [](const CaseOutcome& outcome) {
        Json result = outcome.result;
        if (result.is_object()) {
            result.erase("config");
        }
        return result;
    };
    Texts changing;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        EXPECT_EQ(outcomes[i].faults, Texts{}) << jobs[i].name;
        if (i > 0 && told(outcomes[i]) != told(outcomes[0])) {
            changing.push_back(jobs[i].name);
        }
    }
    return changing;
}

Texts names_of(const Values& values) {
    Texts names;
    std::ranges::transform(values, std::back_inserter(names), [](const auto& each) { return each.first; });
    return names;
}

class KeysOfADrive : public testing::TestWithParam<std::size_t> {
  protected:
    const KeyDrive& drive() const { return every_key().drives.at(GetParam()); }
};

TEST_P(KeysOfADrive, ChangeItsResultOrAreRefused) {
    const platform::Configuration usual = drive_of(drive().run);
    for (const auto& [key, value] : drive().keys) {
        const platform::ConfigurationKey& declared = *platform::find_key(key);
        EXPECT_NE(declared.get(drive_of(with(drive().run, key, value))), declared.get(usual)) << key;
    }
    for (const auto& [key, value] : drive().refused) {
        EXPECT_TRUE(is_refused(with(drive().run, key, value), key)) << key;
    }
    EXPECT_EQ(changing(drive().run, drive().keys), names_of(drive().keys));
}

// A value that the first drive has itself says nothing there, but the value that this drive has does.
TEST_P(KeysOfADrive, AreRefusedElsewhereUnlessTheyActThere) {
    if (GetParam() == 0) {  // the first drive is run above
        return;
    }
    const TortureCase& plain = every_key().drives.front().run;
    const platform::Configuration usual = drive_of(plain);
    const platform::Configuration here = drive_of(drive().run);
    Values taken;
    for (const auto& [key, value] : drive().keys) {
        const platform::ConfigurationKey& declared = *platform::find_key(key);
        const bool says_nothing =
            declared.get(drive_of(with(drive().run, key, value))) == declared.get(usual);
        const std::string other = says_nothing ? declared.get(here) : value;
        const bool refused = is_refused(with(plain, key, other), key);
        if (drive().accepted.contains(key)) {
            EXPECT_FALSE(refused) << key;
        } else if (!refused) {
            taken[key] = other;
        }
    }
    EXPECT_EQ(changing(plain, taken), names_of(taken));
}

INSTANTIATE_TEST_SUITE_P(Drives, KeysOfADrive, testing::Range(std::size_t{0}, every_key().drives.size()));

TEST(EveryKey, HasItsDriveOrAReason) {
    std::map<std::string, std::size_t> places;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        places[key.name] = 0;
    }
    const auto count = [&places](const Values& values) {
        for (const auto& [key, unused] : values) {
            const auto place = places.find(key);
            ASSERT_NE(place, places.end()) << key << " is no key";
            ++place->second;
        }
    };
    for (const KeyDrive& drive : every_key().drives) {
        count(drive.keys);
        count(drive.refused);
    }
    count(every_key().without_effect);
    for (const auto& [key, times] : places) {
        EXPECT_EQ(times, 1U) << key << ": every_key.toml has no drive on which it does something, or several";
    }
}

}  // namespace
}  // namespace solidtlm::testbench
