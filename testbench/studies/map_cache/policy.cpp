// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/policy.h"

#include <algorithm>
#include <charconv>

#include "fw/map_cache/cache_policy.h"

namespace solidtlm::testbench::map_cache {
namespace {

using fw::MapCachePolicy;

constexpr std::string_view kTafp = "tafp_";

Cache make_cache(const Policy& policy, std::uint64_t size_bytes, const platform::Configuration& base) {
    std::vector<std::string> settings{
        "firmware.map_cache.policy=" + std::string(fw::policy_name(policy.kind)),
        "firmware.map_cache.size=" + std::to_string(size_bytes)};
    if (policy.kind == MapCachePolicy::tafp) {
        settings.push_back("firmware.map_cache.tafp_bytes=" + std::to_string(policy.tafp_bytes));
    }
    return Cache{policy, size_bytes,
                 platform::parse_configuration(platform::to_toml(base), policy.name, settings)};
}

/// The message speaks of the sweep's options and not of the keys that it sets.
platform::ConfigurationIssue in_words_of_the_sweep(platform::ConfigurationIssue issue,
                                                   const std::string& policy) {
    const bool ours = issue.key == "firmware.map_cache.size" || issue.key == "firmware.map_cache.tafp_bytes";
    if (ours) {
        issue.source = issue.key == "firmware.map_cache.size" ? "--sizes" : "--policies";
        issue.line = 0;
        issue.message = policy + ": " + issue.message;
    }
    return issue;
}

}  // namespace

bool Policy::fixed() const {
    return kind == MapCachePolicy::full_page || kind == MapCachePolicy::half_page ||
           kind == MapCachePolicy::tafp || kind == MapCachePolicy::dftl;
}

const std::vector<std::string>& policy_names() {
    static const std::vector<std::string> names{"full_page", "half_page", "tafp_8",   "tafp_16", "tafp_32",
                                                "tafp_64",   "tafp_128",  "tafp_256", "dftl",    "bsb",
                                                "sftl",      "cftl",      "tpftl"};
    return names;
}

std::optional<Policy> parse_policy(std::string_view name) {
    Policy policy{std::string(name)};
    if (name.starts_with(kTafp)) {
        const char* const end = name.data() + name.size();
        const auto [rest, error] = std::from_chars(name.data() + kTafp.size(), end, policy.tafp_bytes);
        policy.kind = MapCachePolicy::tafp;
        return error == std::errc{} && rest == end ? std::optional(policy) : std::nullopt;
    }
    for (const MapCachePolicy kind :
         {MapCachePolicy::full_page, MapCachePolicy::half_page, MapCachePolicy::dftl, MapCachePolicy::bsb,
          MapCachePolicy::sftl, MapCachePolicy::cftl, MapCachePolicy::tpftl}) {
        if (name == fw::policy_name(kind)) {
            policy.kind = kind;
            return policy;
        }
    }
    return std::nullopt;
}

std::vector<Cache> caches_of(const std::vector<Policy>& policies, const std::vector<std::uint64_t>& sizes,
                             const platform::Configuration& base) {
    std::vector<Cache> caches;
    std::vector<platform::ConfigurationIssue> issues;
    for (const Policy& policy : policies) {
        for (const std::uint64_t size_bytes : sizes) {
            try {
                caches.push_back(make_cache(policy, size_bytes, base));
            } catch (const platform::ConfigurationError& error) {
                for (const platform::ConfigurationIssue& each : error.issues()) {
                    const platform::ConfigurationIssue issue = in_words_of_the_sweep(each, policy.name);
                    const bool known = std::ranges::any_of(
                        issues, [&issue](const auto& other) { return other.text() == issue.text(); });
                    if (!known) {
                        issues.push_back(issue);
                    }
                }
            }
        }
    }
    if (!issues.empty()) {
        throw platform::ConfigurationError(issues);
    }
    return caches;
}

}  // namespace solidtlm::testbench::map_cache
