"""Put the times of finished runs into the reference of ``malibo bench all``.

python benchmarks/reference.py results
"""

from __future__ import annotations

import sys
from pathlib import Path

from malibo.bench.estimate import update_reference

if __name__ == "__main__":
    update_reference(Path(sys.argv[1]))
