// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "platform/configuration.h"
#include "platform/configuration_keys.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

/// True if a key is left out because the other key of the pair has been configured.
bool superseded(const ConfigurationKey& key, const Configuration& configuration) {
    const bool by_capacity = configuration.capacity_bytes != 0;
    return (key.name == "ssd.capacity" && !by_capacity) ||
           (key.name == "ssd.over_provisioning" && by_capacity);
}

std::string_view group_of(const ConfigurationKey& key) {
    const std::string_view name = key.name;
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? "" : name.substr(0, dot);
}

std::string_view leaf_of(const ConfigurationKey& key) {
    const std::string_view name = key.name;
    return name.substr(name.rfind('.') + 1);
}

nlohmann::ordered_json json_value(const ConfigurationKey& key, const Configuration& configuration) {
    if (key.type == ValueType::size) {
        return *parse_size(key.get(configuration));
    }
    return nlohmann::ordered_json::parse(toml_literal(key, configuration));  // otherwise TOML and JSON are
                                                                             // the same
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char character : text) {
        result += character == '"' || character == '\\' ? "\\" : "";
        result += character;
    }
    return result + "\"";
}

std::string default_of(const ConfigurationKey& key) {
    return key.usual.empty() ? toml_literal(key, Configuration{}) : std::string(key.usual);
}

/// "nand.geometry.channels" under its top-level table "nand"; "" for keys outside any table.
std::string_view section_of(const ConfigurationKey& key) {
    const std::string_view name = key.name;
    const std::size_t dot = name.find('.');
    return dot == std::string_view::npos ? "" : name.substr(0, dot);
}

constexpr std::string_view kIntroduction = R"(# Configuration

This page is generated from the table of keys (`--list-keys --markdown` on any executable); a test
checks that it is up to date.

A configuration is written in [TOML](https://toml.io). It is built in layers; later layers win:

1. built-in defaults,
2. a preset: `--preset NAME`, or `preset = "NAME"` at the top of a file; without either, `default`,
3. defaults of the executable (a scenario that reproduces a study brings its own), which may name
   another preset,
4. files: `--config FILE`, any number of times; with `base = "FILE"` a file may name another file to
   build on, relative to itself,
5. single keys: `--set nand.geometry.channels=16`, any number of times.

Durations are strings with a unit: `"50us"`, `"3.5ms"` (ps, ns, us, ms, s). Sizes are bytes or
strings with a unit: `"16MiB"` (KiB, MiB, GiB, TiB: powers of 1024), `"400GB"` (KB, MB, GB, TB:
powers of 1000), `"4k"` (a bare k, M, G or T is a power of 1024), `"8 sectors"` (of 512 bytes). Units
are not case-sensitive; workloads and options take the same. Rates carry their unit in the name of the key. With `--set`,
quotes are not needed: `--set nand.timing.read=50us,75us`. There, in workloads and in options, a k,
M or G behind a count is a power of 1000: `--limit 200k`.

Over-provisioning is (T - U) / T with raw capacity T and exported capacity U. The form (T - U) / U,
which is often quoted, gives larger numbers for the same drive. `ssd.capacity` and
`ssd.over_provisioning` exclude each other within one file; across layers the later one wins.

A file may also describe the run, in a table `[run]` ([command-line.md](command-line.md)). A
`result.json` counts as a file: it has every key in `config`.

All mistakes are reported at once, each with file, line, key, what was found, what is allowed, and
the nearest known key. The executable then ends with exit code 2 before anything is simulated.

A key that you set and that can do nothing beside the others is a mistake, such as
`firmware.map_cache.size` while the whole map is in DRAM. Values of presets, also where a preset's file
is read as it is, and keys that you set to the preset's or the built-in value, are none: what
`--show-config` prints loads again. Studies and `tb_torture`, which vary keys by themselves, accept such
keys, and so do files that a program wrote, which say `generated = true` at the top.

Besides these keys, four more conditions are checked. The number of mapping units must fit 32 bits.
The spare area must hold ECC parity and metadata (8 bytes for each page and 4 for each unit). The
DRAM must hold the map table, the write buffer, the read windows and the buffers of garbage
collection. The firmware must be able to serve the exported capacity when all of it holds data.
)";

/// For each registered name that the key allows: `before`, the name, `between`, its description and `after`.
std::string listed_names(const ConfigurationKey& key, std::string_view before, std::string_view between,
                         std::string_view after) {
    std::string text;
    for (std::size_t i = 0; i < key.docs.size(); ++i) {
        if (!key.docs[i].empty()) {
            text +=
                std::string(before) + key.names[i] + std::string(between) + key.docs[i] + std::string(after);
        }
    }
    return text;
}

/// The keys for which `chosen` is true, under the headings of their tables.
std::string keys_in_toml(const Configuration& configuration,
                         const std::function<bool(const ConfigurationKey&)>& chosen) {
    std::string text;
    std::string_view group;
    for (const ConfigurationKey& key : keys()) {
        if (superseded(key, configuration) || !chosen(key)) {
            continue;
        }
        if (group_of(key) != group) {
            group = group_of(key);
            text += "\n[" + std::string(group) + "]\n";
        }
        text += std::string(leaf_of(key)) + " = " + toml_literal(key, configuration) + "\n";
    }
    return text;
}

/// True if a file with this text describes the drive.
bool says(const std::string& toml, const Configuration& configuration) {
    try {
        return to_toml(parse_configuration(toml, "")) == to_toml(configuration);
    } catch (const ConfigurationError&) {
        return false;
    }
}

}  // namespace

std::string toml_literal(const ConfigurationKey& key, const Configuration& configuration) {
    std::string text = key.get(configuration);
    switch (key.type) {
        case ValueType::number:
            return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
        case ValueType::size:
            return text.back() == 'B' ? in_quotes(text) : text;
        case ValueType::duration:
        case ValueType::text:
            return in_quotes(text);
        default:
            return text;
    }
}

std::string to_toml(const Configuration& configuration) {
    return "preset = \"" + configuration.preset + "\"\n" +
           keys_in_toml(configuration, [](const ConfigurationKey& /*key*/) { return true; });
}

std::string to_short_toml(const Configuration& configuration) {
    ConfigurationSources sources;
    sources.preset = configuration.preset;
    const Configuration usual = load_configuration(sources);
    const std::string changed = keys_in_toml(configuration, [&](const ConfigurationKey& key) {
        return key.get(configuration) != key.get(usual) || superseded(key, usual);
    });
    const std::string preset = "preset = \"" + configuration.preset + "\"\n";
    for (const char* generated : {"", "generated = true\n"}) {
        std::string text = preset;
        text.append(generated).append(changed);
        if (says(text, configuration)) {
            return text;
        }
    }
    return "generated = true\n" + to_toml(configuration);
}

nlohmann::ordered_json to_json(const Configuration& configuration) {
    nlohmann::ordered_json json;
    json["preset"] = configuration.preset;
    for (const ConfigurationKey& key : keys()) {
        if (superseded(key, configuration)) {
            continue;
        }
        nlohmann::ordered_json* place = &json;
        std::size_t begin = 0;
        for (std::size_t dot = key.name.find('.'); dot != std::string_view::npos;
             begin = dot + 1, dot = key.name.find('.', begin)) {
            place = &(*place)[std::string(key.name.substr(begin, dot - begin))];
        }
        (*place)[std::string(key.name.substr(begin))] = json_value(key, configuration);
    }
    json["derived"] = {{"raw_bytes", configuration.raw_bytes()},
                       {"exported_bytes", configuration.exported_bytes()},
                       {"exported_sectors", configuration.firmware.exported_sectors},
                       {"over_provisioning", configuration.over_provisioning},
                       {"total_dies", configuration.nand.geometry.total_dies()},
                       {"metadata_bytes", configuration.nand.metadata_bytes}};
    return json;
}

std::string key_text(const ConfigurationKey& key) {
    return std::string(key.name) + " = " + default_of(key) + "\n    " + std::string(key.doc) + "\n    " +
           key.range + "\n" + listed_names(key, "        ", ": ", "\n");
}

std::string list_keys_text() {
    std::string text;
    for (const ConfigurationKey& key : keys()) {
        text += key_text(key);
    }
    return text;
}

std::string list_keys_markdown() {
    std::string text(kIntroduction);
    std::string_view section = "-";
    for (const ConfigurationKey& key : keys()) {
        if (section_of(key) != section) {
            section = section_of(key);
            text += "\n## " + (section.empty() ? std::string("General") : "`" + std::string(section) + "`") +
                    "\n\n| key | default | allowed | meaning |\n|---|---|---|---|\n";
        }
        text += "| `" + std::string(key.name) + "` | `" + default_of(key) + "` | " + key.range + " | " +
                std::string(key.doc) + " |\n";
    }
    text += "\n## Names\n\n| key | value | what it is |\n|---|---|---|\n";
    for (const ConfigurationKey& key : keys()) {
        text += listed_names(key, "| `" + std::string(key.name) + "` | `", "` | ", " |\n");
    }
    return text;
}

}  // namespace solidtlm::platform
