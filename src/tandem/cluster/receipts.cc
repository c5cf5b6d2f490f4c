#include "tandem/cluster/receipts.h"

#include <algorithm>

namespace tandem {

Receipts::Had& Receipts::of(const Sender& sender) {
  auto& had = had_[sender.part];
  if (sender.incarnation > had.incarnation) had = {.incarnation = sender.incarnation};
  return had;
}

Verb Receipts::take(const Letter& letter) {
  auto& had = of(letter.from);
  if (letter.from.incarnation < had.incarnation || had.closed) return Verb::closed;
  if (letter.sequence <= had.before || !had.lately.insert(letter.sequence).second) {
    return Verb::again;
  }
  const auto newest = *had.lately.rbegin();
  if (newest > kWindow) had.before = std::max(had.before, newest - kWindow);
  had.lately.erase(had.lately.begin(), had.lately.upper_bound(had.before));
  return Verb::done;
}

void Receipts::close(const Sender& sender) {
  auto& had = of(sender);
  if (sender.incarnation == had.incarnation) had.closed = true;
}

}  // namespace tandem
