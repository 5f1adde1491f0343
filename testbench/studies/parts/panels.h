// SPDX-License-Identifier: Apache-2.0
//
// Points of a sweep, panel by panel.
#pragma once

#include <span>
#include <vector>

namespace solidtlm::testbench {

/// The points of each panel, in order. REQUIRES: points of a panel stand together.
template <typename Point>
[[nodiscard]] std::vector<std::span<const Point>> by_panel(std::span<const Point> points) {
    std::vector<std::span<const Point>> panels;
    for (std::size_t begin = 0; begin < points.size();) {
        std::size_t end = begin + 1;
        while (end < points.size() && points[end].panel == points[begin].panel) {
            ++end;
        }
        panels.push_back(points.subspan(begin, end - begin));
        begin = end;
    }
    return panels;
}

}  // namespace solidtlm::testbench
