// SPDX-License-Identifier: Apache-2.0
//
// Keys without effect because of other settings. A key that the user sets must have an effect; otherwise it
// is a mistake. idle_key_table.cpp says when which keys act.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration_checks.h"

namespace solidtlm::platform {

/// A row of the table: keys that act only if something holds.
struct IdleRow {
    std::string_view keys;   ///< between blanks; a name that ends with a dot covers all keys below it
    std::string_view needs;  ///< at least one of these holds: "key=value or key!=value,value or ..."
    std::string_view why;    ///< reason for having no effect otherwise
    /// For what values do not say: tells whether they act. `needs` then names the keys that decide.
    bool (*acts)(const Configuration& configuration) = nullptr;
};

/// The table. Every row counts for a key that stands in several.
[[nodiscard]] std::span<const IdleRow> idle_key_table();

/// A row that was read.
class IdleRule {
  public:
    /// REQUIRES: the row names keys that exist, and values that they allow.
    explicit IdleRule(const IdleRow& row);

    [[nodiscard]] bool covers(std::string_view key) const;
    [[nodiscard]] bool acts(const Configuration& configuration) const;
    /// The keys that decide.
    [[nodiscard]] std::span<const std::string_view> because() const { return because_; }
    [[nodiscard]] std::string_view why() const { return row_.why; }

  private:
    struct Condition {
        std::string_view key;
        std::vector<std::string> values;  ///< as the key prints them
        bool one_of = true;               ///< false: none of them
    };

    void add_condition(std::string_view text);

    IdleRow row_;
    std::vector<std::string_view> keys_;
    std::vector<std::string_view> because_;
    std::vector<Condition> conditions_;
};

/// In the order of the table.
[[nodiscard]] std::span<const IdleRule> idle_rules();

/// Appends an issue for each key of `origins.changed` without an effect. After derive().
void check_idle(const Configuration& configuration, const Origins& origins,
                std::vector<ConfigurationIssue>& issues);

}  // namespace solidtlm::platform
