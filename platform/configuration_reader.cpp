// SPDX-License-Identifier: Apache-2.0
//
// Combines the layers of sources into one Configuration, and turns every mistake in them into an issue.
#include <toml++/toml.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "platform/configuration.h"
#include "platform/configuration_checks.h"
#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "platform/toml_mistake.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 16U << 20;
constexpr std::size_t kMaxBases = 16;  ///< length of a chain of `base` files

std::string shown_number(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

/// A TOML value in the form that the keys take.
Written written_in_toml(const toml::node& node) {
    if (const auto* boolean = node.as_boolean()) {
        const std::string text = boolean->get() ? "true" : "false";
        return {text, text, Form::boolean};
    }
    if (const auto* integer = node.as_integer()) {
        const std::string text = std::to_string(integer->get());
        return {text, text, Form::integer};
    }
    if (const auto* number = node.as_floating_point()) {
        return {format_number(number->get()), shown_number(number->get()) + " (a floating-point number)",
                Form::number};
    }
    if (const auto* text = node.as_string()) {
        return {text->get(), "\"" + text->get().substr(0, 80) + "\"", Form::text};
    }
    if (const auto* array = node.as_array()) {
        std::string shown;
        bool single = true;
        for (const toml::node& element : *array) {
            const auto* text = element.as_string();
            if (text == nullptr) {
                return {"", "an array with elements that are not strings", Form::other};
            }
            single = single && text->get().find(',') == std::string::npos;
            shown += (shown.empty() ? "\"" : ", \"") + text->get().substr(0, 80) + "\"";
        }
        shown = "[" + shown + "]";
        return {shown, shown, single ? Form::list : Form::other};
    }
    return {"", node.is_table() ? "a table" : "a date or time", Form::other};
}

/// The TOML document of one layer, and the two keys that name what it builds on.
struct Document {
    toml::table table;
    std::string source;
    std::string preset;
    std::uint32_t preset_line = 0;
    bool of_user = true;     ///< false: defaults of the executable
    bool generated = false;  ///< keys without effect in it are no mistakes
};

/// The texts of a value or of a list of values; none if it is something else.
std::optional<std::vector<std::string>> values_of(const toml::node& node) {
    if (const auto* array = node.as_array()) {
        std::vector<std::string> values;
        for (const toml::node& element : *array) {
            const auto one = element.is_array() ? std::nullopt : values_of(element);
            if (!one) {
                return std::nullopt;
            }
            values.push_back(one->front());
        }
        return values;
    }
    const Written written = written_in_toml(node);
    return written.form == Form::other ? std::nullopt : std::optional(std::vector{written.text});
}

void insert(toml::table& table, const std::string& name, const nlohmann::ordered_json& value);

toml::table table_of(const nlohmann::ordered_json& object) {
    toml::table table;
    for (const auto& [name, value] : object.items()) {
        insert(table, name, value);
    }
    return table;
}

/// Lists in results contain texts or numbers.
toml::array array_of(const nlohmann::ordered_json& list) {
    toml::array array;
    for (const auto& element : list) {
        if (element.is_string()) {
            array.push_back(element.get<std::string>());
        } else if (element.is_number_integer()) {
            array.push_back(element.get<std::int64_t>());
        } else if (element.is_number()) {
            array.push_back(element.get<double>());
        }
    }
    return array;
}

void insert(toml::table& table, const std::string& name, const nlohmann::ordered_json& value) {
    if (value.is_object()) {
        table.insert(name, table_of(value));
    } else if (value.is_array()) {
        table.insert(name, array_of(value));
    } else if (value.is_string()) {
        table.insert(name, value.get<std::string>());
    } else if (value.is_boolean()) {
        table.insert(name, value.get<bool>());
    } else if (value.is_number_integer()) {
        table.insert(name, value.get<std::int64_t>());
    } else if (value.is_number()) {
        table.insert(name, value.get<double>());
    }
}

class Reader {
  public:
    Configuration load(const ConfigurationSources& sources);
    Configuration load_text(std::string_view toml, std::string_view name,
                            const std::vector<std::string>& settings, const ForeignTable& foreign);
    Configuration load_variant(const Configuration& base, const std::vector<std::string>& settings);

  private:
    void issue(std::string source, std::uint32_t line, std::string key, std::string message) {
        issues_.push_back({std::move(source), line, std::move(key), std::move(message)});
    }

    void read_file(const fs::path& path, std::size_t depth);
    void read_document(std::string_view toml, const std::string& source, const fs::path& folder,
                       std::size_t depth);
    void read_result(std::string_view json, const std::string& source);
    std::string take_text(Document& document, std::string_view key, std::uint32_t& line);
    bool take_generated(Document& document);
    [[nodiscard]] std::string choose_preset(const std::string& asked);
    void apply_preset(const std::string& name);
    void apply_layer(const toml::table& table, const std::string& source);
    void apply_table(const toml::table& table, const std::string& source, const std::string& prefix);
    void apply_foreign(const toml::node& node, const std::string& source, std::uint32_t line);
    void issue_unknown(const std::string& source, std::uint32_t line, const std::string& path, bool table) {
        const std::string hint = retired(path);
        issue(source, line, path,
              (table ? "unknown table" : "unknown key") +
                  (hint.empty() ? did_you_mean(nearest_key(path, table)) : hint));
    }
    void apply_key(const ConfigurationKey& key, const Written& written, const Origin& origin);
    void apply_setting(const std::string& setting, const std::string& source);
    void choose_capacity(const Origin* over_provisioning, const Origin* capacity);
    [[nodiscard]] const Origin* origin(std::string_view key) const;
    void fit_to_block_map();
    void note_changes(const Configuration& before, const Configuration* variant_of);
    Configuration finish(const ConfigurationSources& sources);

    Configuration configuration_;
    Origins origins_;
    std::vector<ConfigurationIssue> issues_;
    std::vector<Document> documents_;
    ForeignTable foreign_;
    std::size_t layer_ = 0;
    std::uint32_t turn_ = 0;  // of the last setting
};

/// The text of the file, or none and the reason.
std::pair<std::optional<std::string>, std::string> read_text(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        return {std::nullopt, "cannot read the file: no such file"};
    }
    if (fs::is_directory(status)) {
        return {std::nullopt, "cannot read the file: it is a directory"};
    }
    if (!fs::is_regular_file(status) && !fs::is_fifo(status)) {
        return {std::nullopt, "cannot read the file: it is a device"};
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return {std::nullopt, std::string("cannot read the file: ") + std::strerror(errno)};
    }
    std::string text(kMaxFileBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
        return {std::nullopt, "cannot read the file: input/output error"};
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
        return {std::nullopt, "cannot read the file: more than 16 MiB"};
    }
    return {std::move(text), ""};
}

void Reader::read_file(const fs::path& path, std::size_t depth) {
    auto [text, reason] = read_text(path);
    if (text && path.extension() == ".json") {
        read_result(*text, path.string());
    } else if (text) {
        read_document(*text, path.string(), path.parent_path(), depth);
    } else {
        issue(path.string(), 0, "", reason);
    }
}

void Reader::read_document(std::string_view toml, const std::string& source, const fs::path& folder,
                           std::size_t depth) {
    Document document;
    document.source = source;
    try {
        document.table = toml::parse(toml, source);
    } catch (const toml::parse_error& error) {
        const std::uint32_t line = error.source().begin.line;
        const std::string format = foreign_format(toml);
        issue(source, format.empty() ? line : 0, "",
              "not TOML: " + (format.empty() ? toml_mistake(toml, line, error.description())
                                             : "found " + format + "; allowed: a configuration"));
        return;
    }
    std::uint32_t base_line = 0;
    const std::string base = take_text(document, "base", base_line);
    document.preset = take_text(document, "preset", document.preset_line);
    // A preset may contain keys that act only together with other keys.
    document.generated = take_generated(document) || is_preset(toml);
    if (!base.empty()) {
        if (depth >= kMaxBases) {
            issue(source, base_line, "base",
                  "found \"" + base + "\"; more than 16 files build on each other, perhaps in a circle");
        } else {
            read_file(folder / base, depth + 1);
        }
    }
    documents_.push_back(std::move(document));
}

/// Reads the drive and the parameters of a finished run.
void Reader::read_result(std::string_view json, const std::string& source) {
    const auto result = nlohmann::ordered_json::parse(json, nullptr, false);
    if (!result.is_object() || !result.contains("config") || !result["config"].is_object()) {
        issue(source, 0, "",
              std::string("found ") +
                  (result.is_discarded() ? "no JSON" : foreign_format(json) + " without a config") +
                  "; allowed: the result of a run");
        return;
    }
    Document document;
    document.source = source;
    document.table = table_of(result["config"]);
    document.table.erase("derived");
    std::uint32_t line = 0;
    document.preset = take_text(document, "preset", line);
    document.generated = true;
    if (const auto parameters = result.find("parameters");
        !foreign_.name.empty() && parameters != result.end()) {
        insert(document.table, foreign_.name, *parameters);
    }
    documents_.push_back(std::move(document));
}

bool Reader::take_generated(Document& document) {
    const toml::node* node = document.table.get("generated");
    if (node == nullptr) {
        return false;
    }
    const auto* value = node->as_boolean();
    if (value == nullptr) {
        issue(document.source, node->source().begin.line, "generated",
              "found " + written_in_toml(*node).shown + "; allowed: true or false");
    }
    const bool generated = value != nullptr && value->get();
    document.table.erase("generated");
    return generated;
}

/// Removes a top-level key that describes the sources and returns its value; empty if it is absent.
std::string Reader::take_text(Document& document, std::string_view key, std::uint32_t& line) {
    const toml::node* node = document.table.get(key);
    if (node == nullptr) {
        return {};
    }
    line = node->source().begin.line;
    std::string result;
    const auto* text = node->as_string();
    if (text != nullptr && !text->get().empty()) {
        result = text->get();
    } else {
        issue(document.source, line, std::string(key),
              "found " + written_in_toml(*node).shown + "; allowed: " +
                  (key == "base" ? "the name of a file, relative to this one" : "the name of a preset"));
    }
    document.table.erase(key);
    return result;
}

/// The command line has priority; files must agree.
std::string Reader::choose_preset(const std::string& asked) {
    std::string chosen = asked;
    const auto check_name = [&](const std::string& name, const std::string& source, std::uint32_t line,
                                const std::string& key) {
        if (find_preset(name) == nullptr) {
            issue(source, line, key,
                  "unknown preset \"" + name + "\"; allowed: " + join_names(preset_names()) +
                      did_you_mean(name, preset_names()));
        }
    };
    if (!asked.empty()) {
        check_name(asked, "--preset", 0, "");
    }
    const Document* first = nullptr;
    std::string fallback = "default";
    for (const Document& document : documents_) {
        if (document.preset.empty()) {
            continue;
        }
        check_name(document.preset, document.source, document.preset_line, "preset");
        if (!document.of_user) {
            fallback = document.preset;
        } else if (first == nullptr) {
            first = &document;
        } else if (first->preset != document.preset && asked.empty()) {
            issue(document.source, document.preset_line, "preset",
                  "found \"" + document.preset + "\", but " + first->source + ":" +
                      std::to_string(first->preset_line) + " names \"" + first->preset +
                      "\"; allowed: one preset");
        }
    }
    if (chosen.empty()) {
        chosen = first != nullptr ? first->preset : fallback;
    }
    return chosen;
}

void Reader::apply_preset(const std::string& name) {
    ++layer_;
    const Preset* preset = find_preset(name);
    if (preset == nullptr) {
        return;  // reported by choose_preset()
    }
    configuration_.preset = name;
    const std::string source = "preset " + name;
    try {
        apply_layer(toml::parse(preset->toml, source), source);
    } catch (const toml::parse_error& error) {
        issue(source, error.source().begin.line, "", "not TOML: " + std::string(error.description()));
    }
}

/// A table iterates in alphabetical order, so its issues are sorted by their lines.
void Reader::apply_layer(const toml::table& table, const std::string& source) {
    const auto before = static_cast<std::ptrdiff_t>(issues_.size());
    apply_table(table, source, "");
    std::stable_sort(issues_.begin() + before, issues_.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
}

void Reader::apply_table(const toml::table& table, const std::string& source, const std::string& prefix) {
    for (const auto& [name, node] : table) {
        const std::string path = prefix + std::string(name.str());
        const std::uint32_t line = name.source().begin.line;
        const bool dotted = name.str().find('.') != std::string_view::npos;  // the name is written in quotes
        const ConfigurationKey* key = dotted ? nullptr : find_key(path);
        if (key != nullptr) {
            apply_key(*key, written_in_toml(node), {layer_, source, line});
        } else if (!dotted && !foreign_.name.empty() && path == foreign_.name) {
            apply_foreign(node, source, line);
        } else if (!dotted && is_group(path)) {
            if (const auto* inner = node.as_table()) {
                apply_table(*inner, source, path + ".");
            } else {
                issue(source, line, path,
                      "found " + written_in_toml(node).shown + "; allowed: a table, [" + path + "]");
            }
        } else if (path == "preset" || path == "base" || path == "generated") {
            issue(source, line, path, "not allowed here");
        } else {
            issue_unknown(source, line, path, node.is_table());
        }
    }
}

void Reader::apply_foreign(const toml::node& node, const std::string& source, std::uint32_t line) {
    const auto* table = node.as_table();
    if (table == nullptr) {
        issue(source, line, foreign_.name,
              "found " + written_in_toml(node).shown + "; allowed: a table, [" + foreign_.name + "]");
        return;
    }
    for (const auto& [name, value] : *table) {
        ForeignEntry entry{std::string(name.str()), {}, source, name.source().begin.line};
        const std::string path = foreign_.name + "." + entry.key;
        const auto values = values_of(value);
        if (!values) {
            issue(source, entry.line, path,
                  "found " + std::string(value.is_table() ? "a table" : "a date, a time or a list of lists") +
                      "; allowed: a value or a list of values");
        } else if (foreign_.take) {
            entry.values = *values;
            for (std::string& problem : foreign_.take(entry)) {
                issue(source, entry.line, path, std::move(problem));
            }
        }
    }
}

void Reader::apply_key(const ConfigurationKey& key, const Written& written, const Origin& origin) {
    const std::string path(key.name);
    if (auto problem = assign(key, written, configuration_)) {
        issue(origin.source, origin.line, path, *problem + retired(path, written.text));
        origins_.failed.insert(path);
    } else {
        origins_.set[path] = origin;
        origins_.failed.erase(path);
    }
}

void Reader::apply_setting(const std::string& setting, const std::string& source) {
    const std::size_t equals = setting.find('=');
    std::string path = setting.substr(0, equals);
    path.erase(path.find_last_not_of(" \t") + 1);
    path.erase(0, path.find_first_not_of(" \t"));
    if (equals == std::string::npos || path.empty()) {
        issue(source, 0, path,
              "found \"" + setting + "\"; allowed: key=value, such as nand.geometry.channels=16");
        return;
    }
    const ConfigurationKey* key = find_key(path);
    if (key != nullptr) {
        apply_key(*key, plain(std::string_view(setting).substr(equals + 1)), {layer_, source, 0, turn_});
    } else if (path == "preset" || path == "base") {
        issue(source, 0, path, "not a setting; allowed: --preset NAME, --config FILE");
    } else if (is_group(path)) {
        issue(source, 0, path, "names a table of keys, not a key");
    } else {
        issue_unknown(source, 0, path, false);
    }
}

/// Over-provisioning and capacity set the same thing: the later layer has priority, and both in one layer are
/// an error.
void Reader::choose_capacity(const Origin* over_provisioning, const Origin* capacity) {
    if (capacity == nullptr || over_provisioning == nullptr) {
        return;
    }
    if (capacity->layer == over_provisioning->layer) {
        issue(capacity->source, capacity->line, "ssd.capacity",
              "found ssd.capacity and ssd.over_provisioning in the same place; allowed: one of them");
        origins_.failed.insert("ssd.capacity");
    } else if (over_provisioning->layer > capacity->layer) {
        configuration_.capacity_bytes = 0;
        origins_.set.erase("ssd.capacity");
    }
}

const Origin* Reader::origin(std::string_view key) const {
    const auto found = origins_.set.find(key);
    return found == origins_.set.end() ? nullptr : &found->second;
}

/// Block-mapped layers work on whole pages and cache no page map. A user who chooses one need not set these
/// keys as well; values that are set in the same place as the layer, or later, are kept.
void Reader::fit_to_block_map() {
    fw::FirmwareConfig& firmware = configuration_.firmware;
    if (!firmware.by_block()) {
        return;
    }
    const Origin* translation = origin("firmware.translation");
    const auto older = [&](std::string_view key) {
        const Origin* set = origin(key);
        return set == nullptr || (translation != nullptr && set->layer < translation->layer);
    };
    if (older("firmware.unit") && !origins_.failed.contains("firmware.unit")) {
        firmware.unit_bytes = configuration_.nand.geometry.page_bytes;
        origins_.derived.push_back({"firmware.unit", {"nand.geometry.page_size", "firmware.translation"}});
    }
    if (older("firmware.map_cache.policy")) {
        firmware.map_cache.policy = fw::MapCacheConfig{}.policy;
    }
}

/// Records the keys that the user has changed: those whose values differ from `before`, the state without the
/// user's files and settings. A built-in value, which switches a feature off, and the value of the drive that
/// this one is a variant of are never reported.
void Reader::note_changes(const Configuration& before, const Configuration* variant_of) {
    const Configuration built_in;
    for (const auto& [name, unused] : origins_.set) {
        const ConfigurationKey& key = *find_key(name);
        const std::string value = key.get(configuration_);
        const bool usual = value == key.get(before) || value == key.get(built_in) ||
                           (variant_of != nullptr && value == key.get(*variant_of));
        if (!usual) {
            origins_.changed.insert(name);
        }
    }
}

Configuration Reader::finish(const ConfigurationSources& sources) {
    apply_preset(choose_preset(sources.preset));
    Configuration before = configuration_;
    for (const Document& document : documents_) {
        ++layer_;
        apply_layer(document.table, document.source);
        if (!document.of_user || document.generated) {
            before = configuration_;
        }
    }
    ++layer_;
    for (const std::string& setting : sources.settings) {
        const auto option = sources.options.find(setting);
        turn_ += sources.varied ? 0 : 1;  // a program's settings have no order for the user
        apply_setting(setting, option == sources.options.end() ? "--set" : option->second);
    }
    if (!sources.varied) {
        note_changes(before, sources.variant_of);
    }
    choose_capacity(origin("ssd.over_provisioning"), origin("ssd.capacity"));
    fit_to_block_map();
    derive(configuration_);
    check(configuration_, origins_, issues_);
    if (!issues_.empty()) {
        throw ConfigurationError(std::move(issues_));
    }
    return std::move(configuration_);
}

Configuration Reader::load(const ConfigurationSources& sources) {
    foreign_ = sources.foreign;
    if (!sources.defaults.empty()) {
        read_document(sources.defaults, "defaults of this executable", {}, 0);
        for (Document& document : documents_) {
            document.of_user = false;
        }
    }
    for (const fs::path& file : sources.files) {
        read_file(file, 0);
    }
    return finish(sources);
}

Configuration Reader::load_text(std::string_view toml, std::string_view name,
                                const std::vector<std::string>& settings, const ForeignTable& foreign) {
    foreign_ = foreign;
    read_document(toml, std::string(name), {}, 0);
    ConfigurationSources sources;
    sources.settings = settings;
    return finish(sources);
}

Configuration Reader::load_variant(const Configuration& base, const std::vector<std::string>& settings) {
    read_document(to_toml(base), "base of the sweep", {}, 0);
    ConfigurationSources sources;
    sources.settings = settings;
    sources.varied = true;
    return finish(sources);
}

std::string joined(const std::vector<ConfigurationIssue>& issues) {
    std::string text;
    for (const ConfigurationIssue& issue : issues) {
        text += (text.empty() ? "" : "\n") + issue.text();
    }
    return text;
}

}  // namespace

std::string ConfigurationIssue::text() const {
    const bool said = key.empty() || source == "--" + key;
    return source + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + (said ? "" : key + ": ") + message;
}

ConfigurationError::ConfigurationError(std::vector<ConfigurationIssue> issues)
    : std::runtime_error(joined(issues)), issues_(std::move(issues)) {}

Configuration load_configuration(const ConfigurationSources& sources) {
    return Reader().load(sources);
}

Configuration parse_configuration(std::string_view toml, std::string_view name,
                                  const std::vector<std::string>& settings, const ForeignTable& foreign) {
    return Reader().load_text(toml, name, settings, foreign);
}

Configuration variant_of(const Configuration& base, const std::vector<std::string>& settings) {
    return Reader().load_variant(base, settings);
}

}  // namespace solidtlm::platform
