#include "tandem/cluster/answers.h"

#include <spdlog/spdlog.h>

#include "tandem/base/error.h"
#include "tandem/cluster/message.h"

namespace tandem {
namespace {

ReceiverAnswer open_receiver_answer(std::span<const std::byte> bytes, std::int64_t window) {
  const auto letter = open_message(bytes);
  StateReader reader(letter.content);
  switch (letter.verb) {
    case Verb::done:
    case Verb::again: {
      const auto granted = reader.get<std::int64_t>();
      if (granted < 0 || granted > window) {
        throw Error("a receiver granted more credit than was asked for");
      }
      return {.granted = granted, .repeated = letter.verb == Verb::again};
    }
    case Verb::past:
      return {.granted = 0};
    case Verb::failed:
      return {.failure = reader.get_string()};
    case Verb::closed:
      return {.failure = "a successor has taken this actor's place"};
    default:
      return {.failure = "a message of this actor was damaged on its way"};
  }
}

LearnerAnswer open_learner_answer(std::span<const std::byte> bytes) {
  const auto letter = open_message(bytes);
  StateReader reader(letter.content);
  LearnerAnswer answer{.epoch = letter.from.epoch};
  switch (letter.verb) {
    case Verb::done:
    case Verb::again:
      answer.wanted = reader.get<std::uint64_t>();
      answer.heard = true;
      break;
    case Verb::past:
      answer.heard = true;
      break;
    default:
      answer.failure = "the learner refused this actor's report";
  }
  return answer;
}

}  // namespace

ReceiverAnswer read_receiver_answer(std::optional<std::span<const std::byte>> answer,
                                    std::int64_t window) {
  if (!answer) return {};
  try {
    return open_receiver_answer(*answer, window);
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());  // as if the answer had been lost
    return {};
  }
}

LearnerAnswer read_learner_answer(std::optional<std::span<const std::byte>> answer) {
  if (!answer) return {};
  try {
    return open_learner_answer(*answer);
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
    return {};
  }
}

}  // namespace tandem
