// SPDX-License-Identifier: Apache-2.0
//
// Makes flash that programs single pages look like flash that programs word lines (WordLineProtection::pad).
// The rest of the firmware writes whole word lines; this class programs their pages one after the other, from
// the lower page up. No word line ever holds both acknowledged data and a page that is still to be
// programmed.
//
// - All pages of a word line are handed to the die at once, which programs them in this order.
// - The operation fails if the program of one page fails.
// - Everything else is passed on: reads of rows, erases, single pages in SLC mode.
//
// Each further descriptor costs the core CycleCosts::flash_issue and flash_complete.
#pragma once

#include "fw/drive/config.h"
#include "fw/drive/flash_layer.h"
#include "fw/drive/split_operation.h"

namespace solidtlm::fw {

class WordLineFlash : public FlashLayer {
  public:
    /// All must outlive it. REQUIRES: config.flash.page_by_page.
    WordLineFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash);

    void submit(hal::FlashOp& op) override;

  private:
    /// The parts are the pages of the word line, each on all planes.
    using WordLine = SplitOperation<OperationPart>;

    Task<void> run(hal::FlashOp& op);

    const std::uint32_t pages_;  // of a word line
    const CycleCosts cycles_;
    Executor& executor_;
    SplitPool<OperationPart> word_lines_;
};

}  // namespace solidtlm::fw
