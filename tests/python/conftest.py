"""The package is taken from the installed one, or from ASCSAN_PYTHON_PATH (set by ctest) when it names a build."""

import os
import sys

for path in reversed(os.environ.get("ASCSAN_PYTHON_PATH", "").split(os.pathsep)):
    if path:
        sys.path.insert(0, path)
