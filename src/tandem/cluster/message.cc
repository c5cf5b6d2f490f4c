#include "tandem/cluster/message.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <optional>

namespace tandem {
namespace {

constexpr std::uint32_t kMagic = 0x314d4454;  // "TDM1"

/// The head of every message. Both checksums come last, so that each covers a range of bytes.
struct Head {
  std::uint32_t magic = kMagic;
  Verb verb = Verb::done;
  Sender from;
  std::uint64_t sequence = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t content_checksum = 0;
  std::uint64_t head_checksum = 0;  // of all members above
};
static_assert(sizeof(Head) == 64, "the head must have no padding");

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum_of(const Head& head) {
  return checksum(std::as_bytes(std::span(&head, 1)).first(offsetof(Head, head_checksum)));
}

}  // namespace

MessageWriter::MessageWriter(const Sender& from, Verb verb, std::uint64_t sequence)
    : from_(from), verb_(verb), sequence_(sequence) {
  writer_.put(Head{});  // seal() writes over it
}

std::vector<std::byte> MessageWriter::seal() && {
  auto message = std::move(writer_).take();
  const auto content = std::span(message).subspan(sizeof(Head));
  Head head{.verb = verb_,
            .from = from_,
            .sequence = sequence_,
            .content_bytes = content.size(),
            .content_checksum = checksum(content)};
  head.head_checksum = checksum_of(head);
  std::memcpy(message.data(), &head, sizeof(head));
  return message;
}

Letter open_message(std::span<const std::byte> message) {
  Head head;
  if (message.size() < sizeof(head)) throw Garbled("a message is too short", std::nullopt);
  std::memcpy(&head, message.data(), sizeof(head));
  if (head.magic != kMagic || head.head_checksum != checksum_of(head)) {
    throw Garbled("a message has no valid head", std::nullopt);
  }
  const auto content = message.subspan(sizeof(head));
  if (head.content_bytes != content.size() || head.content_checksum != checksum(content)) {
    throw Garbled("a message was damaged on its way", head.from);
  }
  return {.from = head.from, .verb = head.verb, .sequence = head.sequence, .content = content};
}

}  // namespace tandem
