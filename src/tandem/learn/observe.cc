#include "tandem/learn/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// A number in double precision, kept as a float and the rest that this float cannot hold.
double read(float number, float rest) { return static_cast<double>(number) + rest; }

void write(double value, float& number, float& rest) {
  number = static_cast<float>(value);
  rest = static_cast<float>(value - number);
}

/// Calls `use` with each observation of `row.size()` numbers.
template <class Use>
void for_each_row(std::span<const std::span<const std::byte>> pieces, std::span<float> row,
                  Use use) {
  for (const auto piece : pieces) {
    for (std::size_t at = 0; at < piece.size(); at += row.size_bytes()) {
      std::memcpy(row.data(), piece.data() + at, row.size_bytes());
      use();
    }
  }
}

/// The count, the mean and the sum of squared distances from the mean, of each number.
struct Moments {
  double count = 0;
  std::vector<double> mean = {};
  std::vector<double> squares = {};
};

Moments moments_of(std::span<const std::span<const std::byte>> pieces, std::size_t numbers) {
  Moments all{.mean = std::vector<double>(numbers), .squares = std::vector<double>(numbers)};
  std::vector<float> row(numbers);
  for_each_row(pieces, row, [&] {
    all.count += 1;
    for (std::size_t i = 0; i < numbers; ++i) all.mean[i] += row[i];
  });
  for (auto& mean : all.mean) mean /= std::max(all.count, 1.0);
  for_each_row(pieces, row, [&] {
    for (std::size_t i = 0; i < numbers; ++i) {
      const double off = row[i] - all.mean[i];
      all.squares[i] += off * off;
    }
  });
  return all;
}

/// The moments of both batches together.
Moments merged(const Moments& one, const Moments& other) {
  Moments all{.count = one.count + other.count};
  for (std::size_t i = 0; i < one.mean.size(); ++i) {
    const double off = other.mean[i] - one.mean[i];
    all.mean.push_back(one.mean[i] + off * other.count / all.count);
    all.squares.push_back(one.squares[i] + other.squares[i] +
                          off * off * one.count * other.count / all.count);
  }
  return all;
}

Moments read(const InputStatistics& statistics) {
  Moments moments{.count = read(statistics.count[0], statistics.count[1])};
  for (std::size_t i = 0; i < statistics.mean.size(); ++i) {
    moments.mean.push_back(read(statistics.mean[i], statistics.mean_rest[i]));
    moments.squares.push_back(moments.count *
                              read(statistics.variance[i], statistics.variance_rest[i]));
  }
  return moments;
}

void write(const Moments& moments, const InputStatistics& statistics) {
  write(moments.count, statistics.count[0], statistics.count[1]);
  for (std::size_t i = 0; i < statistics.mean.size(); ++i) {
    write(moments.mean[i], statistics.mean[i], statistics.mean_rest[i]);
    write(moments.squares[i] / moments.count, statistics.variance[i], statistics.variance_rest[i]);
  }
}

/// Throws Error unless a float can hold all variances.
void require_finite(const Moments& moments) {
  for (std::size_t i = 0; i < moments.mean.size(); ++i) {
    if (std::isfinite(static_cast<float>(moments.squares[i] / moments.count))) continue;
    throw Error(
        fmt::format("an environment showed an observation whose number {} (counted from 0) is not "
                    "finite, or too large for env.normalise = \"running\"; mend the environment, "
                    "or scale its observations there",
                    i));
  }
}

}  // namespace

void add_observations(std::span<const std::span<const std::byte>> pieces,
                      const InputStatistics& statistics) {
  const Moments batch = moments_of(pieces, statistics.mean.size());
  if (batch.count == 0) return;
  const Moments all = merged(read(statistics), batch);
  require_finite(all);
  write(all, statistics);
}

}  // namespace tandem
