"""Runs the command: `python FOLDER/tandem_cluster`, where the package tandem can be imported."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.pop(0)  # this folder; its modules have names that others have, too
    try:
        import tandem._core  # noqa: F401
    except ImportError:
        sys.exit(
            "tandem: error: a cluster needs tandem's Python package: pip install 'tandem-rl[ray]', "
            "and name that Python in $TANDEM_PYTHON"
        )
    sys.path.append(str(Path(__file__).parents[1]))
    try:
        import ray  # noqa: F401
    except ImportError:
        sys.exit(
            f"tandem: error: {sys.executable} has no Ray: pip install 'tandem-rl[ray]', or name "
            "another Python in $TANDEM_PYTHON"
        )
    from tandem_cluster.command import main

    # Ray lets all processes import from this file's folder: that of the user, not of this package.
    sys.argv[0] = str(Path.cwd() / "tandem")
    main()
