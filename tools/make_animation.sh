#!/usr/bin/env bash
# Records the beginning of a trained agent's game and makes an animation of it. The README's
# animation shows the agent that `make pong` trains:
#
#   make pong
#   make          # brings ffmpeg
#   tools/make_animation.sh runs/pong docs/pictures/agent.gif
#
# usage: tools/make_animation.sh RUN FILE.gif [SECONDS]
#
# Records SECONDS of play (default: 20), and refuses an animation of 1.5 MB or more. $TANDEM names
# another program than build/tandem.
set -euo pipefail

fail() {
  printf 'make_animation.sh: %s\n' "$1" >&2
  exit 2
}

(($# == 2 || $# == 3)) || fail "usage: tools/make_animation.sh RUN FILE.gif [SECONDS]"
run=$1
file=$2
seconds=${3:-20}
tandem=${TANDEM:-$(dirname "${BASH_SOURCE[0]}")/../build/tandem}
most_bytes=1500000

[[ $file == *.gif ]] || fail "$file does not end in .gif: name an animation"
command -v ffmpeg >/dev/null || fail "needs ffmpeg: make, or apt-get install ffmpeg"
[[ -x $tandem ]] || fail "there is no $tandem: build it first, with make"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Twice the rows of the console: about half of a README's width.
"$tandem" record "$run" --out "$folder/game.mp4" --seconds "$seconds" --scale 2
# A game shows few colours. A small palette without dithering leaves out the traces of the video's
# compression, which would make the file large.
ffmpeg -hide_banner -nostdin -y -loglevel error -i "$folder/game.mp4" -filter_complex \
  'split[all][seen];[seen]palettegen=max_colors=32:stats_mode=diff[palette];
   [all][palette]paletteuse=dither=none:diff_mode=rectangle' \
  "$folder/game.gif"

bytes=$(stat --format=%s "$folder/game.gif")
((bytes < most_bytes)) ||
  fail "$seconds seconds take $bytes bytes, more than $most_bytes: ask for fewer seconds"
mv "$folder/game.gif" "$file"
printf '%s: %d bytes\n' "$file" "$bytes"
