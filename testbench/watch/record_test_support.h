// SPDX-License-Identifier: Apache-2.0
//
// For tests of recordings: runs that record, and the contents of the files.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "fw/testing/places.h"
#include "testbench/sim/host/listed_source.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {

/// A folder that is removed at the end of the test.
class RecordFolder {
  public:
    RecordFolder()
        : path_(std::filesystem::path(::testing::TempDir()) / ("record_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~RecordFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    RecordFolder(const RecordFolder&) = delete;
    RecordFolder& operator=(const RecordFolder&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

/// A recorded run at a fixed queue depth. Faults fail the calling test.
inline Json run_recorded(const platform::Configuration& configuration, RequestSource& source,
                         const RecorderSettings& record, std::uint32_t depth) {
    return run_closed(configuration, source, depth, record);
}

/// A line of a table, by column name.
using Row = std::map<std::string, std::string>;

inline std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
        cells.push_back(cell);
    }
    if (line.ends_with(',')) {
        cells.emplace_back();
    }
    return cells;
}

inline std::vector<Row> rows_of(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> columns = cells_of(line);
    std::vector<Row> rows;
    while (std::getline(lines, line)) {
        const std::vector<std::string> cells = cells_of(line);
        EXPECT_EQ(cells.size(), columns.size()) << line;
        Row row;
        for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) {
            row[columns[i]] = cells[i];
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

inline std::int64_t number(const Row& row, const std::string& column) {
    return std::stoll(row.at(column));
}

/// One signal of a file: instants in picoseconds, and values as text.
struct Wave {
    std::vector<std::pair<std::int64_t, std::string>> changes;

    [[nodiscard]] std::string at(std::int64_t time) const {
        std::string value;
        for (const auto& [when, what] : changes) {
            if (when > time) {
                break;
            }
            value = what;
        }
        return value;
    }
    /// Intervals [begin, end) with a value other than `rest`.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> stretches(const std::string& rest,
                                                                               std::int64_t end) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            const std::int64_t until = i + 1 < changes.size() ? changes[i + 1].first : end;
            if (changes[i].second == rest || changes[i].first == until) {
                continue;
            }
            if (!found.empty() && found.back().second == changes[i].first) {
                found.back().second = until;
            } else {
                found.emplace_back(changes[i].first, until);
            }
        }
        return found;
    }
    /// Total time with a value other than `rest`.
    [[nodiscard]] std::int64_t busy(const std::string& rest, std::int64_t end) const {
        std::int64_t sum = 0;
        for (const auto& [from, to] : stretches(rest, end)) {
            sum += to - from;
        }
        return sum;
    }
    /// Instants at which the signal becomes `value`.
    [[nodiscard]] std::vector<std::int64_t> when(const std::string& value) const {
        std::vector<std::int64_t> found;
        for (const auto& [time, what] : changes) {
            if (what == value) {
                found.push_back(time);
            }
        }
        return found;
    }
};

/// A VCD file read with pyvcd.
struct Waves {
    std::map<std::string, Wave> signals;
    std::vector<std::string> names;  ///< in the order of the file
    std::int64_t begin = -1;
    std::int64_t end = -1;
    std::string timescale;

    const Wave& operator[](const std::string& name) const {
        const auto found = signals.find("ssd." + name);
        if (found == signals.end()) {
            ADD_FAILURE() << "no signal " << name;
            static const Wave nothing;
            return nothing;
        }
        return found->second;
    }
};

inline std::string reader_python() {
    const std::string own = source_path(".venv/bin/python3");
    return std::filesystem::exists(own) ? own : "python3";
}

inline bool can_read_vcd() {
    return std::system((reader_python() + " -c 'import vcd.reader' 2>/dev/null").c_str()) == 0;
}

#define SKIP_WITHOUT_VCD_READER()                                           \
    if (!can_read_vcd()) {                                                  \
        GTEST_SKIP() << "pyvcd is not installed: run scripts/setup python"; \
    }                                                                       \
    static_assert(true)

/// Reads the file and checks properties of every dump: instants strictly ascend, no signal changes twice in
/// one instant or to its present value, and every signal has a value from the beginning.
inline Waves read_waves(const std::filesystem::path& file) {
    const std::string command =
        reader_python() + " " + source_path("testbench/watch/read_vcd.py") + " " + file.string();
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 65536> buffer{};
    for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        text.append(buffer.data(), count);
    }
    EXPECT_EQ(pclose(pipe), 0) << "pyvcd cannot read " << file;
    Waves waves;
    std::istringstream stream(text);
    for (std::string name, value; stream >> name && std::getline(stream >> std::ws, value);) {
        if (name == "var") {
            waves.signals[value];
            waves.names.push_back(value);
        } else if (name == "timescale") {
            waves.timescale = value;
        } else if (name == "at") {
            const std::int64_t at = std::stoll(value);
            EXPECT_GT(at, waves.end) << "time does not go forward";
            waves.begin = waves.begin < 0 ? at : waves.begin;
            waves.end = at;
        } else {
            auto& changes = waves.signals[name].changes;
            if (!changes.empty()) {
                EXPECT_GT(waves.end, changes.back().first) << name << " changes twice at an instant";
                EXPECT_NE(value, changes.back().second) << name << " at " << waves.end;
            }
            changes.emplace_back(waves.end, value);
        }
    }
    for (const auto& [name, wave] : waves.signals) {
        EXPECT_FALSE(wave.changes.empty()) << name;
        EXPECT_TRUE(wave.changes.empty() || wave.changes.front().first == waves.begin) << name;
    }
    return waves;
}

}  // namespace solidtlm::testbench
