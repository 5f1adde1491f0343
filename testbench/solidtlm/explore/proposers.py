# SPDX-License-Identifier: Apache-2.0
"""All proposers by name. Each imports its libraries when it is asked for."""
from .proposer import OptunaProposer, Proposer


def make_proposer(study, base, drives):
    if study.proposer == "model":
        from .computed import Computed
        from .model_proposer import ModelProposer
        return ModelProposer(study, base, Computed(study, base, drives))
    kind = OptunaProposer if study.proposer in ("tpe", "nsga2") else Proposer
    return kind(study, base)
