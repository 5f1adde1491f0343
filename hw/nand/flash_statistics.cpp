// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/flash_statistics.h"

namespace solidtlm::hw {

void FlashControllerStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("flash.operations", "operations", "operations finished, failed ones included",
                    operations);
    metrics.counter("flash.failed_operations", "operations", "operations that failed", failures);
    metrics.counter("flash.suspends", "suspensions", "how often a program or erase was suspended for a read",
                    suspends);
    metrics.time("flash.bus_busy_us", "time of all phases on the channel buses", bus_busy);
    metrics.time("flash.die_held_us", "time from the grant of a die to its release, all dies", die_held);
    metrics.time("flash.array_busy_us",
                 "time that arrays were busy (R/B# low), all dies; each plane that reads alone counts",
                 array_busy);
    metrics.time("flash.ecc_decoder_busy_us", "time that the ECC decoders worked, all channels",
                 decoder_busy);
    metrics.time("flash.ecc_encoder_busy_us", "time that the ECC encoders worked, all channels",
                 encoder_busy);
    metrics.counter("flash.bytes_out", "B", "bytes transferred from the dies, parity and metadata included",
                    bytes_out);
    metrics.counter("flash.bytes_in", "B", "bytes transferred to the dies, parity and metadata included",
                    bytes_in);
    metrics.maximum("flash.max_die_queue", "operations", "most operations in the queue of one die",
                    max_queued);
    metrics.maximum("flash.max_bus_waiters", "operations", "most operations that waited for one channel bus",
                    max_bus_waiters);
    metrics.counter("flash.events", "events", "instants at which a controller granted dies or its bus",
                    activations);
}

void FlashControllerStatistics::tell_retries(hal::Metrics& metrics) const {
    metrics.counter("flash.retries.steps", "retries", "steps of the read-retry table taken", read_retries);
    metrics.counter("flash.retries.reads", "operations", "reads that needed a retry", retried_reads);
    metrics.counter("flash.retries.recovered", "operations", "reads that a retry corrected", recovered_reads);
    metrics.time("flash.retries.time_us",
                 "time from the first failed decode until the die is back at level 0", retrying);
}

void FlashControllerStatistics::tell_slc(hal::Metrics& metrics) const {
    metrics.counter("flash.slc_reads", "pages", "pages read in SLC mode", slc_reads);
    metrics.counter("flash.slc_programs", "pages", "pages programmed in SLC mode", slc_programs);
}

}  // namespace solidtlm::hw
