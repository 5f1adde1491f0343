// SPDX-License-Identifier: Apache-2.0
//
// Reads a drive's folder.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "platform/presets.h"
#include "platform/units.h"
#include "testbench/studies/gallery/drive.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::gallery {
namespace {

namespace fs = std::filesystem;

/// A file as a table, with the mistakes found in it.
class File {
  public:
    File(std::string name, std::string_view text, Errors& errors) : name_(std::move(name)), errors_(errors) {
        try {
            table_ = toml::parse(text, name_);
        } catch (const toml::parse_error& error) {
            errors_.push_back(
                fmt::format("{}:{}: {}", name_, error.source().begin.line, error.description()));
        }
    }

    [[nodiscard]] const toml::table& table() const { return table_; }

    void mistake(const toml::node& where, const std::string& what) const {
        errors_.push_back(fmt::format("{}:{}: {}", name_, where.source().begin.line, what));
    }
    /// A text; if `fallback` is null, the key must be present.
    [[nodiscard]] std::string text(const toml::table& table, std::string_view key,
                                   const char* fallback = nullptr) const {
        const toml::node* node = table.get(key);
        if (node == nullptr && fallback == nullptr) {
            mistake(table, fmt::format("{}: found nothing; allowed: a text", key));
        } else if (node != nullptr && !node->is_string()) {
            mistake(*node, fmt::format("{}: found something else; allowed: a text", key));
        }
        return node != nullptr ? node->value_or(std::string())
                               : std::string(fallback == nullptr ? "" : fallback);
    }
    [[nodiscard]] double number(const toml::table& table, std::string_view key, double fallback) const {
        const toml::node* node = table.get(key);
        if (node != nullptr && !node->is_number()) {
            mistake(*node, fmt::format("{}: found something else; allowed: a number", key));
        }
        return node != nullptr ? node->value_or(fallback) : fallback;
    }
    [[nodiscard]] std::vector<std::string> texts(const toml::table& table, std::string_view key) const {
        std::vector<std::string> all;
        const toml::node* node = table.get(key);
        if (node != nullptr && !node->is_array()) {
            mistake(*node, fmt::format("{}: found something else; allowed: a list", key));
        } else if (node != nullptr) {
            for (const toml::node& each : *node->as_array()) {
                all.push_back(value_text(each));
            }
        }
        return all;
    }
    /// Calls `visit` with each table of a list of them.
    void each(std::string_view key, const std::function<void(const toml::table&)>& visit) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr) {
            return;
        }
        if (!node->is_array_of_tables()) {
            mistake(*node, fmt::format("{}: found something else; allowed: tables [[{}]]", key, key));
            return;
        }
        for (const toml::node& each : *node->as_array()) {
            visit(*each.as_table());
        }
    }
    void only(const toml::table& table, std::initializer_list<std::string_view> known) const {
        for (const auto& [key, node] : table) {
            if (std::ranges::find(known, key.str()) == known.end()) {
                mistake(node, fmt::format("{}: unknown key; allowed: {}", key.str(), fmt::join(known, ", ")));
            }
        }
    }

    /// The value as --set takes it.
    [[nodiscard]] std::string value_text(const toml::node& node) const {
        if (const auto* number = node.as_floating_point()) {
            return platform::format_number(number->get());
        }
        if (const auto* integer = node.as_integer()) {
            return std::to_string(integer->get());
        }
        if (const auto* boolean = node.as_boolean()) {
            return boolean->get() ? "true" : "false";
        }
        if (!node.is_string()) {
            mistake(node, "found a list or a table; allowed: a number, a text, true or false");
        }
        return node.value_or(std::string());
    }

  private:
    std::string name_;
    Errors& errors_;
    toml::table table_;
};

Setting read_setting(const File& file, std::string key, const toml::table& table) {
    Setting setting{std::move(key), {}, {}, {}};
    file.only(table, {"is", "published", "derived", "guessed", "fitted", "range", "figures", "mechanism"});
    if (const toml::node* is = table.get("is")) {
        setting.is = file.value_text(*is);
    } else {
        file.mistake(table, setting.key + ": found no value; allowed: is = VALUE");
    }
    std::size_t found = 0;
    for (std::size_t i = 0; i < kEvidenceNames.size(); ++i) {
        if (table.contains(kEvidenceNames[i])) {
            setting.evidence = static_cast<Evidence>(i);
            setting.why = file.text(table, kEvidenceNames[i]);
            ++found;
        }
    }
    setting.range = file.texts(table, "range");
    if (setting.key == kScheduler && setting.is != "fifo" && setting.is != "deadline") {
        file.mistake(table, fmt::format("scheduler: found {}; allowed: fifo, deadline", setting.is));
    }
    setting.figures = file.texts(table, "figures");
    setting.mechanism = file.text(table, "mechanism", "");
    const auto require = [&](bool holds, const std::string& what) {
        if (!holds) {
            file.mistake(table, setting.key + ": " + what);
        }
    };
    require(found == 1, fmt::format("found {} of {}; allowed: one", found, fmt::join(kEvidenceNames, ", ")));
    const bool uncertain = setting.evidence == Evidence::guessed || setting.evidence == Evidence::fitted;
    require(uncertain == !setting.range.empty(),
            uncertain ? "found no range; allowed: range = [VALUE, ...], what else it may be"
                      : "found a range; allowed: with what is guessed or fitted");
    require((setting.evidence != Evidence::fitted) || !setting.figures.empty(),
            "found no figures; allowed: figures = [...], those it was fitted to");
    return setting;
}

/// Settings of `more` replace those with the same key; the others are appended.
void put(std::vector<Setting>& settings, std::vector<Setting> more) {
    for (Setting& each : more) {
        const auto same = std::ranges::find(settings, each.key, &Setting::key);
        if (same != settings.end()) {
            *same = std::move(each);
        } else {
            settings.push_back(std::move(each));
        }
    }
}

std::vector<Setting> read_settings(const File& file) {
    std::vector<Setting> settings;
    const toml::table* values = file.table()["values"].as_table();
    if (values == nullptr) {
        return settings;
    }
    for (const auto& [key, node] : *values) {
        if (const toml::table* table = node.as_table()) {
            settings.push_back(read_setting(file, std::string(key.str()), *table));
        } else {
            file.mistake(node,
                         fmt::format("{}: found a plain value; allowed: {{ is = VALUE, published = SOURCE }} "
                                     "or the like",
                                     key.str()));
        }
    }
    return settings;
}

Row read_row(const File& file, const toml::node& node, const std::vector<std::string>& columns) {
    Row row;
    const toml::array* numbers = node.as_array();
    if (numbers == nullptr || numbers->size() != columns.size()) {
        file.mistake(node, fmt::format("found a row that is none of {} numbers; allowed: one for each of {}",
                                       columns.size(), fmt::join(columns, ", ")));
        return row;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double value = numbers->get(i)->value_or(0.0);
        if (!(value > 0.0)) {
            file.mistake(node, fmt::format("{}: found {}; allowed: above 0", columns[i], value));
        } else if (columns[i] == "depth") {
            row.depth = static_cast<std::uint32_t>(value);
        } else {
            row.figures.push_back({columns[i], value});
        }
    }
    return row;
}

/// Whether only a burst has this metric.
bool of_burst(const std::string& metric) {
    return metric == "before_mb_per_s" || metric == "behind_mb_per_s" || metric == "rested_mb_per_s" ||
           metric == "cliff_gb";
}

Burst read_burst(const File& file, const toml::table& table) {
    file.only(table, {"written", "lead", "lead_time", "pause", "again"});
    const auto time = [&](const char* key) {
        const std::string text = file.text(table, key, "0s");
        const auto parsed = platform::parse_duration(text);
        if (!parsed) {
            file.mistake(table, fmt::format("{}: found {}; allowed: a duration", key, text));
        }
        return parsed.value_or(Ps{0});
    };
    Burst burst{file.number(table, "written", 0.0), file.text(table, "lead", ""), time("lead_time"),
                time("pause"), file.number(table, "again", 0.0)};
    if (!(burst.written > 0.0) || burst.again < 0.0 || burst.written + burst.again > 1.0) {
        file.mistake(table,
                     fmt::format("written, again: found {} and {}; allowed: shares of the drive, in all "
                                 "at most 1, written above 0",
                                 burst.written, burst.again));
    }
    return burst;
}

std::vector<PastTest> read_history(const File& file, const toml::table& table) {
    std::vector<PastTest> history;
    const toml::array* tests = table["history"].as_array();
    if (tests == nullptr) {
        if (table.contains("history")) {
            file.mistake(*table.get("history"), "history: found something else; allowed: a list");
        }
        return history;
    }
    for (const toml::node& node : *tests) {
        const toml::array* numbers = node.as_array();
        const auto number = [&](std::size_t i) {
            return numbers != nullptr && numbers->size() == 3 ? numbers->get(i)->value_or(std::int64_t{0})
                                                              : std::int64_t{0};
        };
        if (number(0) < 1 || number(1) < 1 || number(2) < 1) {
            file.mistake(node, "history: found something else; allowed: [DEPTH, JOBS, WRITES], each above 0");
        }
        history.push_back({static_cast<std::uint32_t>(number(0)), static_cast<std::uint32_t>(number(1)),
                           static_cast<std::uint64_t>(number(2))});
    }
    return history;
}

/// Each row is one of the past tests, and nothing else says what is measured.
void check_history(const File& file, const toml::table& table, const Test& test) {
    if (test.precondition.empty()) {
        file.mistake(table,
                     "history: found no precondition; allowed: one that fills the part that is written");
    }
    for (const Row& row : test.rows) {
        if (past_test_of(test, row.depth) == test.history.end()) {
            file.mistake(table,
                         fmt::format("history: found no test of depth {} with one job; allowed: one for "
                                     "each row of figures",
                                     row.depth));
        }
    }
    for (const char* key : {"requests", "warm_up", "writes", "warm_up_writes", "burst"}) {
        if (table.contains(key)) {
            file.mistake(table,
                         fmt::format("{}: found with a history; allowed: without, since the history says "
                                     "how much was written",
                                     key));
        }
    }
}

Test read_test(const File& file, const toml::table& table) {
    file.only(table, {"name", "load", "precondition", "set", "history", "state_figures", "requests",
                      "warm_up", "writes", "warm_up_writes", "burst", "columns", "figures"});
    Test test;
    test.name = file.text(table, "name");
    test.load = file.text(table, "load");
    test.precondition = file.text(table, "precondition", "");
    test.history = read_history(file, table);
    test.state_figures = file.texts(table, "state_figures");
    test.requests =
        static_cast<std::uint64_t>(file.number(table, "requests", static_cast<double>(test.requests)));
    test.warm_up =
        static_cast<std::uint64_t>(file.number(table, "warm_up", static_cast<double>(test.warm_up)));
    test.writes = file.number(table, "writes", 0.0);
    test.warm_up_writes = file.number(table, "warm_up_writes", 0.0);
    if (const toml::table* burst = table["burst"].as_table()) {
        test.burst = read_burst(file, *burst);
    }
    if (const toml::table* set = table["set"].as_table()) {
        for (const auto& [key, node] : *set) {
            test.settings.push_back(
                Setting{std::string(key.str()), file.value_text(node), Evidence::published, "as measured"});
        }
    }
    const std::vector<std::string> columns = file.texts(table, "columns");
    for (const std::string& column : columns) {
        if (column != "depth" && std::ranges::find(kMetrics, column) == kMetrics.end()) {
            file.mistake(table, fmt::format("columns: found {}; allowed: depth, {}", column,
                                            fmt::join(kMetrics, ", ")));
        }
        const bool speed = column == "depth" || column == "mb_per_s";
        if (of_burst(column) ? !test.burst : test.burst && !speed) {
            file.mistake(table, fmt::format("columns: found {} {} a burst; allowed: {}", column,
                                            test.burst ? "of" : "without",
                                            test.burst ? "depth, mb_per_s and what a burst has"
                                                       : "burst = { written = SHARE }"));
        }
    }
    if (const toml::array* rows = table["figures"].as_array()) {
        for (const toml::node& row : *rows) {
            test.rows.push_back(read_row(file, row, columns));
        }
    }
    if (test.rows.empty()) {
        file.mistake(table, "figures: found none; allowed: figures = [[...], ...]");
    }
    if (!test.history.empty()) {
        check_history(file, table, test);
    }
    return test;
}

/// Texts of the built-in gallery and of a user's folder, by "drives/NAME/FILE" and "hosts/NAME".
class Library {
  public:
    Library() {
        for (const BuiltIn& each : built_in()) {
            texts_.emplace(each.path, each.text);
        }
    }
    /// Adds a user's folder as drives/NAME; returns NAME.
    std::string add(const fs::path& folder) {
        std::string name = fs::weakly_canonical(folder).filename().string();
        for (const fs::directory_entry& each : fs::directory_iterator(folder)) {
            if (each.path().extension() == ".toml") {
                std::ostringstream text;
                text << std::ifstream(each.path()).rdbuf();
                const std::string stem = each.path().stem().string();
                const bool host = stem.starts_with(kHostPrefix);
                texts_.insert_or_assign(host ? "hosts/" + stem.substr(kHostPrefix.size())
                                             : fmt::format("drives/{}/{}", name, stem),
                                        text.str());
            }
        }
        return name;
    }

    Drive drive(const std::string& name) {
        Drive drive = own(name, 0);
        drive.name = name;
        const std::string folder = "drives/" + name + "/";
        for (auto each = texts_.lower_bound(folder); each != texts_.end() && each->first.starts_with(folder);
             ++each) {
            const std::string stem = each->first.substr(folder.size());
            if (stem != "drive" && stem != "fit") {
                drive.campaigns.push_back(campaign(stem, File(each->first + ".toml", each->second, errors_)));
            }
        }
        if (!errors_.empty()) {
            throw InputError(fmt::format("{}", fmt::join(errors_, "\n")));
        }
        return drive;
    }

  private:
    static constexpr std::string_view kHostPrefix = "host-";
    static constexpr int kMostBases = 8;

    /// The values of drive.toml on top of those of the drive it is based on.
    Drive own(const std::string& name, int depth) {
        const auto found = texts_.find("drives/" + name + "/drive");
        if (found == texts_.end() || depth > kMostBases) {
            errors_.push_back(fmt::format(
                "drive {}: found no drive.toml; allowed: {}, or the path of a folder with one, with a / "
                "in its name",
                name, fmt::join(drive_names(), ", ")));
            return {};
        }
        const File file(found->first + ".toml", found->second, errors_);
        file.only(file.table(), {"title", "base", "family", "preset", "values", "scale", "missing"});
        Drive drive;
        if (const std::string base = file.text(file.table(), "base", ""); !base.empty()) {
            drive = own(base, depth + 1);
            drive.missing.clear();
        }
        drive.title = file.text(file.table(), "title");
        drive.family = file.text(file.table(), "family", drive.family.c_str());
        drive.preset = file.text(file.table(), "preset", drive.preset.c_str());
        put(drive.settings, read_settings(file));
        if (const toml::table* scale = file.table()["scale"].as_table()) {
            drive.scale.clear();
            for (const auto& [key, node] : *scale) {
                drive.scale.emplace_back(key.str(), node.value_or(std::uint32_t{1}));
            }
        }
        file.each("missing", [&](const toml::table& table) {
            file.only(table, {"mechanism", "evidence", "figures"});
            drive.missing.push_back(Missing{file.text(table, "mechanism"), file.text(table, "evidence"),
                                            file.texts(table, "figures")});
        });
        return drive;
    }

    Campaign campaign(const std::string& name, const File& file) {
        const toml::table& table = file.table();
        file.only(table,
                  {"host", "source", "conditions", "date", "software", "order", "latency", "values", "test"});
        Campaign campaign;
        campaign.name = name;
        campaign.host = host(file, file.text(table, "host"));
        put(campaign.host.settings, read_settings(file));
        campaign.source = file.text(table, "source");
        campaign.conditions = file.text(table, "conditions", "");
        campaign.date = file.text(table, "date", "");
        campaign.software = file.text(table, "software", "");
        campaign.order = file.text(table, "order", "");
        const std::string latency = file.text(table, "latency", "total");
        if (latency != "total" && latency != "completion") {
            file.mistake(*table.get("latency"),
                         fmt::format("latency: found {}; allowed: total, completion", latency));
        }
        campaign.latency_from = latency == "total" ? LatencyFrom::arrival : LatencyFrom::submission;
        file.each("test", [&](const toml::table& test) { campaign.tests.push_back(read_test(file, test)); });
        return campaign;
    }

    Host host(const File& of_campaign, const std::string& name) {
        const auto found = texts_.find("hosts/" + name);
        if (found == texts_.end()) {
            std::vector<std::string> names;
            for (const auto& [path, unused] : texts_) {
                if (path.starts_with("hosts/")) {
                    names.push_back(path.substr(std::string_view("hosts/").size()));
                }
            }
            of_campaign.mistake(of_campaign.table(),
                                fmt::format("host: found {}; allowed: {}, or the NAME of a file "
                                            "host-NAME.toml in the drive's folder",
                                            name, fmt::join(names, ", ")));
            return {};
        }
        const File file(found->first + ".toml", found->second, errors_);
        file.only(file.table(), {"title", "values"});
        return Host{name, file.text(file.table(), "title"), read_settings(file)};
    }

    std::map<std::string, std::string> texts_;
    Errors errors_;
};

}  // namespace

std::vector<std::string> drive_names() {
    constexpr std::string_view kFolder = "drives/";
    constexpr std::string_view kFile = "/drive";
    std::vector<std::string> names;
    for (const BuiltIn& each : built_in()) {
        if (each.path.starts_with(kFolder) && each.path.ends_with(kFile)) {
            names.emplace_back(
                each.path.substr(kFolder.size(), each.path.size() - kFolder.size() - kFile.size()));
        }
    }
    std::ranges::sort(names);
    return names;
}

Drive read_drive(const std::string& name) {
    Library library;
    if (name.find('/') == std::string::npos) {
        return library.drive(name);
    }
    if (!fs::is_directory(name)) {
        throw InputError(fmt::format("drive {}: found no folder; allowed: {}, or a folder with a drive.toml",
                                     name, fmt::join(drive_names(), ", ")));
    }
    return library.drive(library.add(name));
}

bool matches(std::string_view id, std::string_view pattern) {
    while (true) {
        const std::string_view part = id.substr(0, id.find('/'));
        const std::string_view wanted = pattern.substr(0, pattern.find('/'));
        if (wanted != "*" && wanted != part) {
            return false;
        }
        if (pattern.size() == wanted.size() || id.size() == part.size()) {
            return pattern.size() == wanted.size();
        }
        id.remove_prefix(part.size() + 1);
        pattern.remove_prefix(wanted.size() + 1);
    }
}

}  // namespace solidtlm::testbench::gallery
