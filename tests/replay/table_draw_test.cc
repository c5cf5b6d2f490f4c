// Draws of a table without copies of frames.
#include <gtest/gtest.h>

#include <vector>

#include "tandem/replay/table.h"
#include "tests/replay/frames.h"

namespace tandem {
namespace {

using test::segment;
using test::small_format;

TEST(Table, DrawsTheSameTransitionsWithoutTheirFrames) {
  const ReplayConfig config = {.capacity = 100, .min_fill = 1, .alpha = 1, .beta = 1};
  Table with(config, small_format(), 8, 1, {});
  Table without(config, small_format(), 8, 1, {});
  EXPECT_TRUE(without.draw(8).found.empty());  // there are none yet
  const std::vector<float> priorities{0.1F, 0.5F, 1, 2, 3, 5, 8, 13, 21, 34};
  with.insert(segment(priorities));
  without.insert(segment(priorities));
  SampleBatch batch(small_format(), 8);
  for (int i = 0; i < 10; ++i) {
    with.sample(batch);
    const auto drawn = without.draw(8);
    EXPECT_EQ(drawn.added, 10);
    ASSERT_EQ(drawn.found.size(), 8U);
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(drawn.found[k].key, batch.keys[k]);
      EXPECT_EQ(drawn.found[k].priority, batch.priorities[k]);
      EXPECT_EQ(drawn.found[k].probability, batch.drawn[k].probability);
    }
  }
  EXPECT_EQ(without.state().sampled, with.state().sampled);
}

}  // namespace
}  // namespace tandem
