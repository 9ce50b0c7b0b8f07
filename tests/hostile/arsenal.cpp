// Frames are made with the product's own encoder: what is wrong with them is what is said here.
#include "tests/hostile/arsenal.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::hostile {

Bytes Arsenal::noise(std::size_t bytes) {
  Bytes frame(bytes);
  for (std::byte& byte : frame) byte = static_cast<std::byte>(random_.next());
  return frame;
}

// A frame that the victim has been sent; of its earlier lives while this one has heard nothing.
const Bytes& Arsenal::heard(bool by_this_life) {
  const Member& victim = job_[victim_];
  const bool this_life = (by_this_life || victim.boot == 0) && !victim.tap->heard.empty();
  const std::vector<Bytes>& frames = this_life ? victim.tap->heard : victim.heard_before;
  HOLDFAST_ASSERT(!frames.empty());
  return frames[random_.below(frames.size())];
}

Bytes Arsenal::composed(Weapon weapon) {
  Header header;
  header.type = static_cast<FrameType>(1 + random_.below(6));
  header.seal = weapon == Weapon::unsealed ? SealAlgorithm::none : SealAlgorithm::siphash128;
  header.job = weapon == Weapon::other_job ? kJob + 1 : kJob;
  header.sender = {static_cast<std::uint32_t>(random_.below(kProcesses))};
  header.sender_incarnation =
      first_incarnation_of_boot(static_cast<std::uint32_t>(random_.below(4)));
  header.receiver = victim_;
  header.receiver_incarnation = job_[victim_].engine->membership().incarnation();
  header.sequence = 1'000'000 + random_.below(1'000'000);
  header.digest = random_.next();
  std::array<Run, 3> runs;
  for (Run& run : runs) {
    run = {{static_cast<std::uint32_t>(random_.below(kProcesses))},
           first_incarnation_of_boot(static_cast<std::uint32_t>(random_.below(9))),
           1,
           static_cast<MemberState>(random_.below(6))};
  }
  Body body;
  body.runs = std::span(runs).first(random_.below(4));
  body.upto = body.runs.size();
  body.answer_wanted = random_.below(2) == 0;
  body.sender_joining = random_.below(2) == 0;
  Bytes frame(kFrameBytesMax);
  frame.resize(encode_frame(header, body, frame));
  if (weapon == Weapon::unsealed) return frame;
  JobKey key = key_;
  if (weapon == Weapon::forged) key.bytes[random_.below(32)] ^= std::byte{1};
  const Seal& seal = *find_seal("siphash128");
  seal.write(seal.derive(key, header.sender, header.sender_incarnation, header.receiver,
                         header.receiver_incarnation),
             frame);
  return frame;
}

Bytes Arsenal::draw(Weapon weapon) {
  switch (weapon) {
    case Weapon::random:
      return noise(random_.below(kFrameBytesMax + 200));
    case Weapon::shaped: {
      Bytes frame = heard(true);
      const std::size_t kept = random_.below(kHeaderBytes + 1);
      const Bytes rest = noise(frame.size() - kept);
      std::copy(rest.begin(), rest.end(), frame.begin() + static_cast<std::ptrdiff_t>(kept));
      return frame;
    }
    case Weapon::truncated: {
      Bytes frame = heard(true);
      frame.resize(random_.below(frame.size()));
      return frame;
    }
    case Weapon::extended: {
      Bytes frame = heard(true);
      const Bytes more = noise(1 + random_.below(100));
      frame.insert(frame.end(), more.begin(), more.end());
      return frame;
    }
    case Weapon::flipped: {
      Bytes frame = heard(true);
      const std::size_t bits = 1 + random_.below(8);
      const std::size_t first = random_.below(frame.size() * 8 - bits);
      // Next to each other, so that none is flipped back.
      for (std::size_t bit = first; bit < first + bits; ++bit) {
        frame[bit / 8] ^= std::byte{1} << (bit % 8);
      }
      return frame;
    }
    case Weapon::replayed:
      return heard(true);
    case Weapon::former:
      return heard(false);
    case Weapon::misdirected: {
      ProcessId other = victim_;
      while (other == victim_ || job_[other].tap->heard.empty()) {
        other = {static_cast<std::uint32_t>(random_.below(kProcesses))};
      }
      const std::vector<Bytes>& frames = job_[other].tap->heard;
      return frames[random_.below(frames.size())];
    }
    case Weapon::forged:
    case Weapon::unsealed:
    case Weapon::other_job:
      return composed(weapon);
  }
  HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::hostile
