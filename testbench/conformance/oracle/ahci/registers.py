# SPDX-License-Identifier: Apache-2.0
"""Names of AHCI 1.3.1: registers (clause 3), their bits, FISes in memory (clause 4.2.1), and the memory layout
of scripts.

Addresses are bytes from the start of the HBA's registers; `Px` is the port that scripts use, port 0.
"""

HBA = {"CAP": 0x00, "GHC": 0x04, "IS": 0x08, "PI": 0x0C, "VS": 0x10, "CCC_CTL": 0x14, "CCC_PORTS": 0x18,
       "EM_LOC": 0x1C, "EM_CTL": 0x20, "CAP2": 0x24, "BOHC": 0x28}
PORT = {"CLB": 0x00, "CLBU": 0x04, "FB": 0x08, "FBU": 0x0C, "IS": 0x10, "IE": 0x14, "CMD": 0x18, "TFD": 0x20,
        "SIG": 0x24, "SSTS": 0x28, "SCTL": 0x2C, "SERR": 0x30, "SACT": 0x34, "CI": 0x38, "SNTF": 0x3C, "FBS": 0x40,
        "DEVSLP": 0x44}
FIRST_PORT = 0x100
PORT_BYTES = 0x80
PORTS = 32
SLOTS = 32


def _bits(register, **numbers):
    return {f"{register}.{name}": 1 << number for name, number in numbers.items()}


_INTERRUPTS = {"DHR": 0, "PS": 1, "DS": 2, "SDB": 3, "UF": 4, "DP": 5, "PC": 6, "DMP": 7, "PRC": 22, "IPM": 23,
               "OF": 24, "INF": 26, "IF": 27, "HBD": 28, "HBF": 29, "TFE": 30, "CPD": 31}
BITS = {
    **_bits("GHC", HR=0, IE=1, MRSM=2, AE=31),
    **_bits("PxCMD", ST=0, SUD=1, POD=2, CLO=3, FRE=4, FR=14, CR=15, ATAPI=24),
    **_bits("PxTFD", ERR=0, DRQ=3, DF=5, DRDY=6, BSY=7),
    **_bits("PxIS", **{name + "S": number for name, number in _INTERRUPTS.items()}),
    **_bits("PxIE", **{name + "E": number for name, number in _INTERRUPTS.items()}),
    **_bits("CAP", S64A=31, SNCQ=30, SSNTF=29, SMPS=28, SSS=27, SALP=26, SAL=25, SCLO=24, SAM=18, SPM=17, FBSS=16),
}

# Received FIS area, clause 4.2.1: offset, bytes.
FISES = {"dma-setup": (0x00, 28), "pio-setup": (0x20, 20), "d2h": (0x40, 20), "sdb": (0x58, 8),
         "unknown": (0x60, 64)}

RECEIVED_FIS_BYTES = 0x100

# Memory layout of scripts.
COMMAND_LIST = 0x100000
RECEIVED_FIS = 0x101000
COMMAND_TABLES = 0x110000
COMMAND_TABLE_BYTES = 0x4000
DATA = 0x400000
MEMORY_BYTES = 64 << 20
PRDT_OFFSET = 0x80  # in a command table, clause 4.2.3
PRD_BYTES = 16
MOST_PRDS = (COMMAND_TABLE_BYTES - PRDT_OFFSET) // PRD_BYTES
PLACES = {"LIST": COMMAND_LIST, "RFIS": RECEIVED_FIS, "TABLES": COMMAND_TABLES, "DATA": DATA}


def register_offset(name):
    """Offset of CAP, PxTFD or P3TFD; None if there is no such register."""
    if name in HBA:
        return HBA[name]
    if not name.startswith("P"):
        return None
    if name[1:2] == "x":
        port, register = 0, name[2:]
    else:
        digits = name[1:3] if name[1:3].isdigit() else name[1:2]
        if not digits.isdigit() or int(digits) >= PORTS:
            return None
        port, register = int(digits), name[1 + len(digits):]
    return FIRST_PORT + PORT_BYTES * port + PORT[register] if register in PORT else None


def register_names():
    return [*HBA, *("Px" + name for name in PORT)]
