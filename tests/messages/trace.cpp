// Frames as lines.
#include "tests/messages/trace.hpp"

#include <array>
#include <cstdio>
#include <ostream>
#include <string>

#include "stack/outer_fabric.hpp"
#include "stack/reliable/message_frame.hpp"
#include "tests/messages/scenario.hpp"

namespace holdfast::messages {

namespace {

using reliable::MessageFrameType;
using reliable::MessageHeader;

const char* name_of(MessageFrameType type) {
  static constexpr std::array kNames{
      "?", "eager", "request", "fragment", "data", "acknowledgement", "grant", "probe", "answer"};
  const auto number = static_cast<std::size_t>(type);
  return number < kNames.size() ? kNames[number] : "?";
}

std::string fields_of(const MessageHeader& h) {
  std::string text = std::string(" ") + name_of(h.type);
  const auto field = [&](const char* name, std::uint64_t value) {
    text += std::string(" ") + name + " " + std::to_string(value);
  };
  if (h.type != MessageFrameType::acknowledgement) field("packet", h.packet);
  switch (h.type) {
    case MessageFrameType::eager:
    case MessageFrameType::request:
      field("message", h.message), field("context", h.context), field("tag", h.tag);
      field("bytes", h.bytes), field("vfrag", h.virtual_fragment);
      break;
    case MessageFrameType::fragment:
    case MessageFrameType::data:
      field("message", h.message), field("vfrag", h.virtual_fragment), field("offset", h.offset);
      field("bytes", h.bytes), field("index", h.index);
      break;
    case MessageFrameType::acknowledgement: {
      std::array<char, 24> mask;
      std::snprintf(mask.data(), mask.size(), " mask %llx",
                    static_cast<unsigned long long>(h.mask));
      field("all before", h.all_before);
      field(h.of_fragments ? "vfrag" : "message", h.of_fragments ? h.virtual_fragment : h.message);
      text += mask.data();
      field("packet", h.packet), field("rail", h.rail), field("heard", h.heard);
      break;
    }
    case MessageFrameType::grant:
      field("message", h.message), field("upto", h.upto), field("final", h.final);
      break;
    case MessageFrameType::probe:
    case MessageFrameType::answer:
      field("stamp", h.stamp), field("heard", h.heard);
      break;
  }
  return text;
}

class TracedFabric final : public OuterFabric {
 public:
  TracedFabric(Trace& trace, Fabric& inner, std::size_t rail, ProcessId process)
      : OuterFabric(inner), trace_(trace), rail_(rail), process_(process) {}

  std::size_t post(std::span<const Operation> operations) override {
    const std::size_t accepted = inner_.post(operations);
    for (const Operation& operation : operations.first(accepted)) {
      trace_.write("posts", rail_, process_, {operation.peer.value},
                   {operation.data, operation.size});
    }
    return accepted;
  }

 private:
  Trace& trace_;
  std::size_t rail_;
  ProcessId process_;
};

}  // namespace

class Trace::Witness final : public sim::PipeWitness {
 public:
  Witness(Trace& trace, std::size_t rail) : trace_(trace), rail_(rail) {}

  void frame(Time, sim::PipeFate fate, ProcessId from, ProcessId to,
             std::span<const std::byte> bytes) override {
    static constexpr std::array kFates{"left", "arrived", "CUT", "OVERFLOW", "NOBODY"};
    trace_.write(kFates[static_cast<std::size_t>(fate)], rail_, from, to, bytes);
  }

 private:
  Trace& trace_;
  std::size_t rail_;
};

Trace::Trace(std::ostream* out) : out_(out) {}
Trace::~Trace() = default;

void Trace::join(sim::WorldOptions& options) {
  if (out_ == nullptr) return;
  options.wrap = [this](Fabric& inner, std::size_t rail, ProcessId process) {
    return std::make_unique<TracedFabric>(*this, inner, rail, process);
  };
  for (std::size_t r = 0; r < options.rails.size(); ++r) {
    witnesses_.push_back(std::make_unique<Witness>(*this, r));
  }
}

void Trace::watch(sim::World& world) {
  world_ = &world;
  for (std::size_t r = 0; r < witnesses_.size(); ++r) {
    world.network(r).set_witness(witnesses_[r].get());
  }
}

void Trace::write(const char* what, std::size_t rail, ProcessId from, ProcessId to,
                  std::span<const std::byte> frame) {
  *out_ << seconds_text(world_->now()) << "rail " << rail << "  " << from.value << " -> "
        << to.value << "  " << what << "  " << frame.size() << " bytes";
  const auto seed =
      reliable::connection_seed(0, from, world_->incarnation(from), to, world_->incarnation(to));
  for (std::span<const std::byte> left = frame; !left.empty();) {
    const std::span<const std::byte> first = reliable::first_message_frame(left);
    left = left.subspan(first.size());
    MessageHeader header;
    const bool is_whole = reliable::decode_message_header(first, seed, true, header) ==
                          reliable::MessageDecodeStatus::ok;
    *out_ << (is_whole ? fields_of(header) : " does not verify");
  }
  *out_ << '\n';
}

}  // namespace holdfast::messages
