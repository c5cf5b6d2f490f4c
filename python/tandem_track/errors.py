"""The words of the command to its user."""


class TrackError(Exception):
    """The command cannot go on; the message says what to do."""


def say(text: str) -> None:
    print(f"tandem track: {text}", flush=True)
