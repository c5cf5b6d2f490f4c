#include "tandem/cluster/credits.h"

#include <algorithm>

namespace tandem {
namespace {

/// No honest number is larger, and no sum of such numbers overflows.
constexpr std::int64_t kMost = std::int64_t{1} << 40;

std::int64_t sensible(std::int64_t number) { return std::clamp<std::int64_t>(number, 0, kMost); }

}  // namespace

void Credits::allow(std::int64_t transitions) {
  allowed_ = sensible(transitions);
  since_allowance_.lap();
}

std::int64_t Credits::in_hand() {
  std::int64_t sum = 0;
  for (auto& [actor, account] : accounts_) {
    if (account.since_word.seconds() > patience_seconds_) account.credit = 0;
    sum += account.credit;
  }
  return sum;
}

std::int64_t Credits::grant(const CreditRequest& request) {
  auto& account = accounts_[request.actor];
  account = {.credit = sensible(request.credit)};
  allowed_ -= sensible(request.sent);
  if (since_allowance_.seconds() > patience_seconds_) return 0;
  const auto free = std::max<std::int64_t>(allowed_ - in_hand(), 0);
  const auto more = std::clamp<std::int64_t>(sensible(request.wish) - account.credit, 0, free);
  account.credit += more;
  return more;
}

}  // namespace tandem
