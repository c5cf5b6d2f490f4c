"""The library's messages, which go to Python's logging under the name "tandem"."""

import logging

from tandem._core import take_messages

_logger = logging.getLogger("tandem")


def forward_messages() -> None:
    """Logs the messages that have come since the last call."""
    for level, text in take_messages():
        _logger.log(level, "%s", text)
