# SPDX-License-Identifier: Apache-2.0
"""Names of NVMe 1.4: registers, their bits, and where scripts put things.

Offsets are bytes in BAR0. SQnTDBL and CQnHDBL are the doorbells of queue n, without stride (CAP.DSTRD = 0).
"""

REGISTERS = {"CAP": 0x00, "CAPH": 0x04, "VS": 0x08, "INTMS": 0x0C, "INTMC": 0x10, "CC": 0x14, "RESERVED": 0x18,
             "CSTS": 0x1C, "NSSR": 0x20, "AQA": 0x24, "ASQ": 0x28, "ASQH": 0x2C, "ACQ": 0x30, "ACQH": 0x34,
             "CMBLOC": 0x38, "CMBSZ": 0x3C, "BPINFO": 0x40, "BPRSEL": 0x44}
DOORBELLS = 0x1000
MOST_QUEUES = 512  # their doorbells are below the next page

BITS = {"CC.EN": 1, "CC.ON": 0x00460001, "CC.SHN": 0x4000, "CC.ABRUPT": 0x8000, "CSTS.RDY": 1, "CSTS.CFS": 2,
        "CSTS.SHST": 0xC, "CSTS.DOWN": 0x8}

# Memory layout of scripts.
QUEUES = 0x100000
QUEUE_BYTES = 0x30000   # per pair: submission queue, then completion queue
COMPLETIONS = 0x20000
PAIRS = 65
SQE_BYTES = 64
CQE_BYTES = 16
MOST_ENTRIES = COMPLETIONS // SQE_BYTES
LISTS = 0x1000000       # lists of pages
LIST_BYTES = 0x2000     # a page, and one for a chained list
LIST_COUNT = 512
DATA = 0x1400000
MEMORY_BYTES = 64 << 20
PAGE = 0x1000


def submission(queue):
    return QUEUES + queue * QUEUE_BYTES


def completion(queue):
    return submission(queue) + COMPLETIONS


PLACES = {"DATA": DATA, "LISTS": LISTS, "NOWHERE": 0x80000000,  # neither memory nor registers
          **{f"SQ{queue}": submission(queue) for queue in range(PAIRS)},
          **{f"CQ{queue}": completion(queue) for queue in range(PAIRS)}}


def tail_doorbell(queue):
    return DOORBELLS + 8 * queue


def head_doorbell(queue):
    return tail_doorbell(queue) + 4


def register_offset(name):
    """Offset of CSTS, SQ0TDBL or CQ12HDBL; None if there is no such register."""
    if name in REGISTERS:
        return REGISTERS[name]
    number = name[2:-4]
    if not number.isdigit() or int(number) >= MOST_QUEUES:
        return None
    doorbell = {("SQ", "TDBL"): tail_doorbell, ("CQ", "HDBL"): head_doorbell}.get((name[:2], name[-4:]))
    return doorbell(int(number)) if doorbell else None


def register_names():
    return [*REGISTERS, "SQ0TDBL", "CQ0HDBL"]
