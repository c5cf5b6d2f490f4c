#include "tandem/env/group_stepper.h"

#include <exception>
#include <utility>

namespace tandem {

GroupStepper::GroupStepper(std::unique_ptr<EnvGroup> group, std::span<EnvRecord> records)
    : records_(records), states_(records.size(), State::idle), group_(std::move(group)) {
  requests_.reserve(records.size());
}

void GroupStepper::start(std::span<const int> ids) {
  requests_.clear();
  for (const int id : ids) {
    auto& record = records_[index(id)];
    states_[index(id)] = State::stepping;
    if (record.error()) {
      finish(id);
      continue;
    }
    try {
      requests_.push_back(record.request(id));
    } catch (...) {
      record.fail(std::current_exception());
      finish(id);
    }
  }
  if (!requests_.empty()) group_->begin(requests_);
}

void GroupStepper::run(std::span<const int> ids) {
  start(ids);
  wait(static_cast<int>(ids.size()));
}

void GroupStepper::wait(int count) {
  while (done_count_ < count) take_answers(count - done_count_);
}

/// An error of the whole group becomes the error of every environment that was stepping.
void GroupStepper::take_answers(int at_least) {
  try {
    for (const auto& answer : group_->finish(at_least)) {
      records_[index(answer.env)].take(answer);
      finish(answer.env);
    }
  } catch (...) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] != State::stepping) continue;
      records_[i].fail(std::current_exception());
      finish(static_cast<int>(i));
    }
  }
}

void GroupStepper::finish(int id) {
  states_[index(id)] = State::done;
  ++done_count_;
}

void GroupStepper::collect(int id) {
  states_[index(id)] = State::idle;
  --done_count_;
}

}  // namespace tandem
