// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/flash_statistics.h"

namespace solidtlm::hw {

void FlashControllerStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("flash.operations", "operations", "finished, failed ones included", operations);
    metrics.counter("flash.failed_operations", "operations", "that did not succeed", failures);
    metrics.counter("flash.suspends", "suspensions", "of programs and erases for a read", suspends);
    metrics.time("flash.bus_busy_us", "phases on the channel buses", bus_busy);
    metrics.time("flash.die_held_us", "from the grant of a die to its release", die_held);
    metrics.time("flash.array_busy_us", "R/B# low, all dies; planes that read by themselves count each",
                 array_busy);
    metrics.time("flash.ecc_decoder_busy_us", "decoders of all channels at work", decoder_busy);
    metrics.time("flash.ecc_encoder_busy_us", "encoders of all channels at work", encoder_busy);
    metrics.counter("flash.bytes_out", "B", "data cycles from the dies, parity and metadata included",
                    bytes_out);
    metrics.counter("flash.bytes_in", "B", "data cycles to the dies, parity and metadata included", bytes_in);
    metrics.maximum("flash.max_die_queue", "operations", "in the queue of one die", max_queued);
    metrics.maximum("flash.max_bus_waiters", "operations", "that wanted one channel bus", max_bus_waiters);
    metrics.counter("flash.events", "events", "instants at which a controller gave away dies and its bus",
                    activations);
}

void FlashControllerStatistics::tell_retries(hal::Metrics& metrics) const {
    metrics.counter("flash.retries.steps", "retries", "of reads, steps of the read-retry table",
                    read_retries);
    metrics.counter("flash.retries.reads", "operations", "that were read again", retried_reads);
    metrics.counter("flash.retries.recovered", "operations", "of these, corrected in the end",
                    recovered_reads);
    metrics.time("flash.retries.time_us", "from the first failed decode until the die is at level 0 again",
                 retrying);
}

void FlashControllerStatistics::tell_slc(hal::Metrics& metrics) const {
    metrics.counter("flash.slc_reads", "pages", "read in SLC mode", slc_reads);
    metrics.counter("flash.slc_programs", "pages", "programmed in SLC mode", slc_programs);
}

}  // namespace solidtlm::hw
