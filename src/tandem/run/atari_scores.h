// Scores of random play and of people in Atari games.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tandem {

/// Mean scores of one game after up to 30 no-ops; a game ends after 108,000 frames at the latest.
struct AtariScores {
  std::string_view game;  // "SpaceInvaders"
  double random = 0;      // uniformly random actions
  double human = 0;       // of a professional games tester
};

/// The 57 games of the A3C paper, in alphabetical order. Immutable.
[[nodiscard]] std::span<const AtariScores> atari_scores();

/// The scores of a game by its name; case and underscores do not matter ("space_invaders").
[[nodiscard]] std::optional<AtariScores> find_atari_scores(std::string_view game);

/// 0 for random play, 1 for human play: (score - random) / (human - random).
[[nodiscard]] double human_normalised(const AtariScores& scores, double score);

}  // namespace tandem
