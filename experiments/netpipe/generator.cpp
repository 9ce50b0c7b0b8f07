// Word k is a mixture of the name and k (the finalizer of SplitMix64), so any piece of it can be
// said without those before.
#include "experiments/netpipe/generator.hpp"

#include <cstring>

#include "stack/base/bytes.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::uint64_t kStep = 0x9e37'79b9'7f4a'7c15;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9;
  value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11eb;
  return value ^ (value >> 31);
}

std::uint64_t start_of(const MessageName& name) {
  return mixed(mixed(name.batch + kStep) + (std::uint64_t{name.direction} << 32 | name.index));
}

// The words of a message, in order; the last may be cut.
class Words {
 public:
  explicit Words(const MessageName& name) : at_(start_of(name)) {}
  std::uint64_t next() { return mixed(at_ += kStep); }

 private:
  std::uint64_t at_;
};

constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

void generate(const MessageName& name, std::span<std::byte> message) {
  Words words(name);
  for (; message.size() >= kWord; message = message.subspan(kWord))
    store_le(message.data(), words.next());
  if (message.empty()) return;
  const std::uint64_t last = words.next();
  std::memcpy(message.data(), &last, message.size());
}

// All of a line is looked at before any of it is judged: to judge each word takes longer than to
// compute it.
bool is_generated(const MessageName& name, std::span<const std::byte> message) {
  constexpr std::size_t kLine = 64;
  Words words(name);
  for (; message.size() >= kLine; message = message.subspan(kLine)) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < kLine; i += kWord)
      wrong |= load_le<std::uint64_t>(&message[i]) ^ words.next();
    if (wrong != 0) return false;
  }
  for (; message.size() >= kWord; message = message.subspan(kWord))
    if (load_le<std::uint64_t>(message.data()) != words.next()) return false;
  if (message.empty()) return true;
  const std::uint64_t last = words.next();
  return std::memcmp(message.data(), &last, message.size()) == 0;
}

}  // namespace holdfast::netpipe
