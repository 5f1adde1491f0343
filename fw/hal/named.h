// SPDX-License-Identifier: Apache-2.0
//
// A choice that a configuration makes by name: a policy, a layer, a format. Each is a constant of a type
// derived from Named in the file that implements it; solidtlm_registry() (cmake/Registry.cmake) lists the
// files of a folder. Configurations, messages and results use these names.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace solidtlm::hal {

struct Named {
    std::string_view name;
    std::string_view doc;  ///< one line that describes it
};

/// The choice called `name`. Throws std::logic_error if there is none; configurations are checked for that.
template <class T>
const T& named(std::span<const T* const> all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &T::name);
    if (found == all.end()) {
        throw std::logic_error("nothing is called " + std::string(name));
    }
    return **found;
}

}  // namespace solidtlm::hal
