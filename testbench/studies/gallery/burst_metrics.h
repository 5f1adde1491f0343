// SPDX-License-Identifier: Apache-2.0
//
// What a burst of sequential writes says of a real drive (Burst in drive.h), from a run of its smaller model.
#pragma once

#include "testbench/show/result.h"
#include "testbench/studies/gallery/drive.h"
#include "testbench/studies/kit/bursts.h"

namespace solidtlm::testbench::gallery {

/// How the model's drive differs from the real one, and what of it a burst depends on.
struct BurstScale {
    double size = 1.0;            ///< scale_of()
    double buffer = 1.0;          ///< divisor of the write buffer
    double buffer_bytes = 0.0;    ///< the model's write buffer
    double flash_mb_per_s = 0.0;  ///< what flash takes at the beginning, by data sheet
};

[[nodiscard]] BurstScale burst_scale_of(const Drive& drive, const platform::Configuration& configuration);

/// Metrics of a burst, in the units of the real drive. `rested_mb_per_s` is that of the second burst. If the
/// speed does not fall, there is no `cliff_gb` (null), and `before_mb_per_s` and `behind_mb_per_s` are both
/// that of the whole burst.
[[nodiscard]] Json burst_metrics(const BurstSource& source, const BurstScale& scale);

}  // namespace solidtlm::testbench::gallery
