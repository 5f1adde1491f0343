// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/torture_case.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include "platform/configuration_keys.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/spec/entry.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

/// Items of the load that have a key in `[run]`, and that key.
struct RunKey {
    std::string_view item;
    std::string_view key;
};
constexpr RunKey kLoadInRun[]{
    {"queue_depth", "queue_depth"}, {"requests", "limit"}, {"power_off", "power_off"}};
/// The same for power cuts at times.
constexpr RunKey kCutsInRun[]{{"at ", "power_cut_at"}, {"every ", "power_cut_every"}};

std::vector<std::string> split_items(const std::string& text) {
    std::vector<std::string> items;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');) {
        items.push_back(item);
    }
    return items;
}

bool is_toml(const std::string& value) {
    try {
        (void)toml::parse("x = " + value);
        return value.find('\n') == std::string::npos;
    } catch (const toml::parse_error&) {
        return false;
    }
}

/// "key = value" for an item "key=value".
std::string line_of(const std::string& item, std::string_view key) {
    const std::string value = item.substr(std::min(item.find('=') + 1, item.size()));
    return fmt::format("{} = {}\n", key, is_toml(value) ? value : in_toml(value));
}

/// Whether a later item has the same key: a TOML table has each key once, and the last item counts.
bool comes_again(const std::vector<std::string>& items, std::size_t at) {
    return std::any_of(items.begin() + static_cast<std::ptrdiff_t>(at) + 1, items.end(),
                       [&](const std::string& later) { return key_of(later) == key_of(items[at]); });
}

std::string list_of(std::string_view key, const std::vector<std::string>& values) {
    std::vector<std::string> texts;
    std::ranges::transform(values, std::back_inserter(texts),
                           [](const std::string& value) { return in_toml(value); });
    return values.empty() ? "" : fmt::format("{} = [{}]\n", key, fmt::join(texts, ", "));
}

/// Turns a file into items, in the file's order.
class CaseReader {
  public:
    CaseReader(std::string_view toml, const std::string& source) : source_(source) {
        std::istringstream in{std::string(toml)};
        for (std::string line; std::getline(in, line);) {
            lines_.push_back(line);
        }
        try {
            table_ = toml::parse(toml, source);
        } catch (const toml::parse_error& error) {
            refuse(error.source(), "not TOML", std::string(error.description()));
        }
    }

    TortureCase read() {
        collect(table_, "");
        std::ranges::sort(leaves_, {}, [](const Leaf& leaf) {
            return std::pair(leaf.node->source().begin.line, leaf.node->source().begin.column);
        });
        for (const Leaf& leaf : leaves_) {
            take(leaf);
        }
        return std::move(torture_);
    }

  private:
    struct Leaf {
        std::string path;
        const toml::node* node;
    };

    [[noreturn]] void refuse(const toml::source_region& where, std::string_view key,
                             const std::string& why) const {
        throw InputError(fmt::format("{}:{}: {}: {}", source_, where.begin.line, key, why));
    }
    [[noreturn]] void refuse(const Leaf& leaf, const std::string& why) const {
        refuse(leaf.node->source(), leaf.path, why);
    }

    void collect(const toml::table& table, const std::string& prefix) {
        for (const auto& [key, node] : table) {
            const std::string path = prefix + std::string(key.str());
            if (const toml::table* inner = node.as_table()) {
                collect(*inner, path + ".");
            } else {
                leaves_.push_back({path, &node});
            }
        }
    }

    /// The value as written in the file, because numbers can be written in several ways.
    [[nodiscard]] std::string written(const toml::node& node) const {
        if (const auto* text = node.as_string()) {
            return text->get();
        }
        const toml::source_region& where = node.source();
        const std::string& line = lines_.at(where.begin.line - 1);
        if (where.end.line != where.begin.line) {
            return line.substr(where.begin.column - 1);
        }
        return line.substr(where.begin.column - 1, where.end.column - where.begin.column);
    }

    [[nodiscard]] std::vector<std::string> texts(const Leaf& leaf) const {
        const toml::array* array = leaf.node->as_array();
        if (array == nullptr) {
            refuse(leaf, "found no list; allowed: a list of strings");
        }
        std::vector<std::string> list;
        for (const toml::node& element : *array) {
            if (!element.is_string()) {
                refuse(element.source(), leaf.path, "found an element that is no string; allowed: strings");
            }
            list.push_back(element.as_string()->get());
        }
        return list;
    }

    void take(const Leaf& leaf) {
        const std::string_view path = leaf.path;
        if (path == "preset") {
            torture_.preset = written(*leaf.node);
        } else if (path.starts_with("run.")) {
            take_run(leaf, path.substr(4));
        } else if (path.starts_with("torture.")) {
            take_torture(leaf, path.substr(8));
        } else if (platform::find_key(path) != nullptr) {
            const bool text = leaf.node->is_string();
            torture_.settings.push_back(leaf.path + "=" +
                                        (text ? "\"" + written(*leaf.node) + "\"" : written(*leaf.node)));
        } else if (path != "generated") {
            refuse(leaf, "unknown key" + platform::did_you_mean(platform::nearest_key(path)));
        }
    }

    void take_run(const Leaf& leaf, std::string_view key) {
        const auto in_run = [key](const RunKey& each) { return each.key == key; };
        if (key == "workload") {
            torture_.workload = split_items(written(*leaf.node));
        } else if (key == "precondition") {
            torture_.precondition = split_items(written(*leaf.node));
        } else if (const auto* load = std::ranges::find_if(kLoadInRun, in_run);
                   load != std::end(kLoadInRun)) {
            torture_.load.push_back(fmt::format("{}={}", load->item, written(*leaf.node)));
        } else if (const auto* cut = std::ranges::find_if(kCutsInRun, in_run); cut != std::end(kCutsInRun)) {
            for (const std::string& text :
                 leaf.node->is_array() ? texts(leaf) : std::vector{written(*leaf.node)}) {
                torture_.cuts.push_back(std::string(cut->item) + text);
            }
        } else {
            platform::Names known{"workload", "precondition"};
            for (const RunKey& each : kLoadInRun) {
                known.emplace_back(each.key);
            }
            for (const RunKey& each : kCutsInRun) {
                known.emplace_back(each.key);
            }
            refuse_key(leaf, key, known);
        }
    }

    void take_torture(const Leaf& leaf, std::string_view key) {
        platform::Names known = platform::names_of(load_keys());
        std::erase_if(known, [](const std::string& name) {
            return std::ranges::any_of(kLoadInRun, [&name](const RunKey& each) { return each.item == name; });
        });
        if (key == kMix) {
            torture_.workload = split_items(written(*leaf.node));
            torture_.workload.insert(torture_.workload.begin(), std::string(kMix));
        } else if (key == "cuts") {
            torture_.cuts = texts(leaf);
        } else if (key == "sessions") {
            torture_.sessions = texts(leaf);
        } else if (std::ranges::find(known, key) != known.end()) {
            torture_.load.push_back(fmt::format("{}={}", key, written(*leaf.node)));
        } else {
            known.insert(known.end(), {std::string(kMix), "cuts", "sessions"});
            refuse_key(leaf, key, known);
        }
    }

    [[noreturn]] void refuse_key(const Leaf& leaf, std::string_view key, const platform::Names& known) const {
        refuse(leaf, "found what is no key of a case; allowed: " + platform::join_names(known) +
                         platform::did_you_mean(key, known));
    }

    const std::string& source_;
    std::vector<std::string> lines_;
    toml::table table_;
    std::vector<Leaf> leaves_;
    TortureCase torture_;
};

/// The table `[run]` of a case.
std::string run_table(const TortureCase& torture) {
    std::string text;
    if (!torture.precondition.empty()) {
        text += "precondition = " + in_toml(join_items(torture.precondition)) + "\n";
    }
    if (!torture.workload.empty() && torture.workload.front() != kMix) {
        text += "workload = " + in_toml(join_items(torture.workload)) + "\n";
    }
    for (const RunKey& each : kLoadInRun) {
        for (std::size_t i = 0; i < torture.load.size(); ++i) {
            const std::string& item = torture.load[i];
            text += key_of(item) == each.item && !comes_again(torture.load, i) ? line_of(item, each.key) : "";
        }
    }
    for (const RunKey& each : kCutsInRun) {
        std::vector<std::string> times;
        for (const std::string& cut : torture.cuts) {
            if (cut.starts_with(each.item)) {
                times.push_back(cut.substr(each.item.size()));
            }
        }
        const bool one = each.key == "power_cut_every" && times.size() == 1;
        text += one ? fmt::format("{} = {}\n", each.key, in_toml(times.front())) : list_of(each.key, times);
    }
    return text;
}

/// The table `[torture]`: keys that only this program has.
std::string torture_table(const TortureCase& torture) {
    std::string text;
    for (std::size_t i = 0; i < torture.load.size(); ++i) {
        const std::string& item = torture.load[i];
        const bool in_run = std::ranges::any_of(
            kLoadInRun, [&item](const RunKey& each) { return each.item == key_of(item); });
        text += in_run || comes_again(torture.load, i) ? "" : line_of(item, key_of(item));
    }
    if (!torture.workload.empty() && torture.workload.front() == kMix) {
        text += "mix = " + in_toml(join_items({torture.workload.begin() + 1, torture.workload.end()})) + "\n";
    }
    std::vector<std::string> events;
    for (const std::string& cut : torture.cuts) {
        if (std::ranges::none_of(kCutsInRun,
                                 [&cut](const RunKey& each) { return cut.starts_with(each.item); })) {
            events.push_back(cut);
        }
    }
    return text + list_of("cuts", events) + list_of("sessions", torture.sessions);
}

}  // namespace

std::string join_items(const std::vector<std::string>& items) {
    return fmt::format("{}", fmt::join(items, ","));
}

std::string to_toml(const TortureCase& torture, std::string_view about) {
    std::string text;
    std::istringstream lines{std::string(about)};
    for (std::string line; std::getline(lines, line);) {
        std::ranges::replace_if(
            line, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');  // TOML forbids these here
        text += "# " + line + "\n";
    }
    text += "preset = " + in_toml(torture.preset) + "\n";
    text += torture.settings.empty() ? "" : "generated = true\n";
    for (std::size_t i = 0; i < torture.settings.size(); ++i) {
        const std::string& setting = torture.settings[i];
        text += comes_again(torture.settings, i) ? "" : line_of(setting, key_of(setting));
    }
    const std::string run = run_table(torture);
    const std::string own = torture_table(torture);
    return text + (run.empty() ? "" : "\n[run]\n") + run + (own.empty() ? "" : "\n[torture]\n") + own;
}

void give(std::vector<std::string>& items, const std::vector<std::string>& given) {
    for (const std::string& item : given) {
        const std::string_view key = std::string_view(item).substr(0, item.find('=') + 1);
        std::erase_if(items, [key](const std::string& each) { return each.starts_with(key); });
        items.push_back(item);
    }
}

TortureCase parse_case(std::string_view toml, const std::string& source) {
    return CaseReader(toml, source).read();
}

TortureCase read_case(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!std::filesystem::is_regular_file(file) || !(text << in.rdbuf())) {
        throw InputError(file.string() + ": cannot read the file");
    }
    return parse_case(text.str(), file.string());
}

}  // namespace solidtlm::testbench
