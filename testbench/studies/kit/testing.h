// SPDX-License-Identifier: Apache-2.0
//
// For tests of studies.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::testing {

/// Runs jobs, two at a time; faults fail the test. Stores the points' results in `results`, unless it is
/// null.
inline std::vector<Measured> measured_of(const std::vector<StudyJob>& jobs,
                                         std::vector<Json>* results = nullptr) {
    std::vector<PointOutcome> outcomes = run_points(point_jobs(jobs), PointPool{2, true});
    std::vector<Measured> points;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const std::string& fault : outcomes[i].outcome.faults) {
            ADD_FAILURE() << jobs[i].name << ": " << fault;
        }
        Json& result = outcomes[i].outcome.result;
        if (!result.is_null()) {
            points.push_back(measured_by(jobs[i], outcomes[i].outcome));
            if (results != nullptr) {
                results->push_back(std::move(result));
            }
        }
    }
    return points;
}

}  // namespace solidtlm::testbench::testing
