// Requests to nf_tables are batches (linux/netfilter/nfnetlink.h): a message that begins one, those
// that change something, one that ends it. A message is headers and attributes, and an attribute
// may hold others; each begins with its length.
#include "hw/inject/silent_ports.hpp"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "hw/inject/in_namespace.hpp"
#include "hw/inject/run_tool.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {
namespace {

constexpr Tool kNft{"nft", "nftables"};
constexpr const char* kFilter =
    "table bridge rails {\n"
    "  set silent_in { type ifname; }\n"
    "  set silent_out { type ifname; }\n"
    "  chain forward {\n"
    "    type filter hook forward priority 0; policy accept;\n"
    "    iifname @silent_in drop\n"
    "    oifname @silent_out drop\n"
    "  }\n"
    "}\n";
constexpr std::string_view kTable("rails\0", 6);
constexpr std::string_view kSetIn("silent_in\0", 10), kSetOut("silent_out\0", 11);

constexpr std::uint16_t of_tables(std::uint16_t request) {
  return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | request);
}

// Some messages one after the other. What is inside of something is added by a function.
class Batch {
 public:
  explicit Batch(std::uint32_t number) : number_(number) {}
  template <class Inside>
  void message(std::uint16_t type, std::uint16_t flags, std::uint16_t resource, Inside inside) {
    const std::size_t begin = size_;
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    header.nlmsg_seq = number_;
    put(&header, sizeof header);
    const nfgenmsg kind{NFPROTO_BRIDGE, NFNETLINK_V0, htons(resource)};
    put(&kind, sizeof kind);
    inside();
    header.nlmsg_len = static_cast<std::uint32_t>(size_ - begin);
    std::memcpy(&bytes_[begin], &header, sizeof header);
  }
  template <class Inside>
  void attribute(std::uint16_t type, Inside inside) {
    const std::size_t begin = size_;
    nlattr header{0, type};
    put(&header, sizeof header);
    inside();
    header.nla_len = static_cast<std::uint16_t>(size_ - begin);
    std::memcpy(&bytes_[begin], &header, sizeof header);
    size_ = (size_ + kAligned - 1) / kAligned * kAligned;
  }
  void attribute(std::uint16_t type, std::string_view value) {
    attribute(type, [&] { put(value.data(), value.size()); });
  }
  const std::byte* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }

 private:
  void put(const void* data, std::size_t length) {
    HOLDFAST_ASSERT(size_ + length <= bytes_.size());
    std::memcpy(&bytes_[size_], data, length);
    size_ += length;
  }

  static constexpr std::size_t kAligned = NLA_ALIGNTO;  // of messages, too

  alignas(kAligned) std::array<std::byte, 256> bytes_{};
  std::size_t size_ = 0;
  std::uint32_t number_;  // by which answers are told apart
};

// That one set of the table shall have, or no longer have, the port as an element.
void add_change(Batch& batch, std::uint16_t request, std::string_view set,
                std::string_view port_name) {
  const auto nothing = [] {};
  batch.message(NFNL_MSG_BATCH_BEGIN, 0, NFNL_SUBSYS_NFTABLES, nothing);
  batch.message(of_tables(request), NLM_F_ACK, 0, [&] {
    batch.attribute(NFTA_SET_ELEM_LIST_TABLE, kTable);
    batch.attribute(NFTA_SET_ELEM_LIST_SET, set);
    batch.attribute(NLA_F_NESTED | NFTA_SET_ELEM_LIST_ELEMENTS, [&] {
      batch.attribute(NLA_F_NESTED | NFTA_LIST_ELEM, [&] {
        batch.attribute(NLA_F_NESTED | NFTA_SET_ELEM_KEY,
                        [&] { batch.attribute(NFTA_DATA_VALUE, port_name); });
      });
    });
  });
  batch.message(NFNL_MSG_BATCH_END, 0, NFNL_SUBSYS_NFTABLES, nothing);
}

// 0, or what errno says. When a batch has been sent the kernel has answered: to the change, or to
// the batch if that failed, or to both; or it has found no words (EAGAIN).
int answer(int kernel, std::uint32_t batch) {
  for (;;) {
    std::array<std::byte, 1024> bytes;
    const ssize_t got = ::recv(kernel, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno;
    nlmsghdr header;
    nlmsgerr said;
    if (got < static_cast<ssize_t>(sizeof header + sizeof said)) return EPROTO;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_seq != batch) continue;  // a second answer to an earlier one
    std::memcpy(&said, &bytes[sizeof header], sizeof said);
    return header.nlmsg_type == NLMSG_ERROR ? -said.error : EPROTO;
  }
}

}  // namespace

Status SilentPorts::open(int name_space, SilentPorts& opened) {
  if (Status status = run_tool(kNft, {"-f", "-"}, name_space, kFilter); !status.is_ok())
    return status;
  return in_namespace(name_space, [&] {
    opened.kernel_ = Descriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
    if (opened.is_open()) return Status::ok();
    return Status::error(std::string("the kernel's filters cannot be reached: ") +
                         std::strerror(errno));
  });
}

Status SilentPorts::begin(std::string_view port, Way way) {
  return change(NFT_MSG_NEWSETELEM, port, way);
}

Status SilentPorts::end(std::string_view port, Way way) {
  return change(NFT_MSG_DELSETELEM, port, way);
}

Status SilentPorts::change(std::uint16_t request, std::string_view port, Way way) {
  HOLDFAST_ASSERT(is_open() && port.size() < IFNAMSIZ);
  std::string name(port);
  name.resize(IFNAMSIZ);
  Batch batch(++batches_);
  add_change(batch, request, way == Way::in ? kSetIn : kSetOut, name);
  const bool is_sent =
      ::send(kernel_.get(), batch.data(), batch.size(), 0) == static_cast<ssize_t>(batch.size());
  const int error = is_sent ? answer(kernel_.get(), batches_) : errno;
  if (error == 0) return Status::ok();
  return Status::error("cannot change what " + std::string(port) +
                       " carries: " + std::strerror(error));
}

}  // namespace holdfast::hw
