// The messages of MPI, as the benchmark measures them beside ours. Started by mpirun on two
// processes, each of which then does what `holdfast bench netpipe` says by a socket.
//
// usage: mpi_netpipe SOCKET
#include <mpi.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "experiments/netpipe/worker.hpp"
#include "hw/descriptor.hpp"

namespace {

using holdfast::netpipe::Messages;

constexpr int kTag = 7;

class MpiEnd final : public holdfast::netpipe::End {
 public:
  explicit MpiEnd(int rank) : peer_(1 - rank) {}

  void ping_pong(bool is_first, const Messages& out, const Messages& in) override {
    for (std::size_t i = 0; i < out.count(); ++i) {
      if (is_first) send(out[i]);
      receive(in[i]);
      if (!is_first) send(out[i]);
    }
  }
  void stream_out(const Messages& out) override {
    requests_.resize(out.count());
    for (std::size_t i = 0; i < out.count(); ++i) {
      MPI_Isend(out[i].data(), static_cast<int>(out.bytes()), MPI_BYTE, peer_, kTag, MPI_COMM_WORLD,
                &requests_[i]);
    }
    wait_for_all();
    std::byte all_there{};
    receive({&all_there, 1});
  }
  void stream_in(const Messages& in) override {
    requests_.resize(in.count());
    for (std::size_t i = 0; i < in.count(); ++i) {
      MPI_Irecv(in[i].data(), static_cast<int>(in.bytes()), MPI_BYTE, peer_, kTag, MPI_COMM_WORLD,
                &requests_[i]);
    }
    wait_for_all();
    std::byte all_there{};
    send({&all_there, 1});
  }

 private:
  void send(std::span<const std::byte> message) {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, peer_, kTag,
             MPI_COMM_WORLD);
  }
  void receive(std::span<std::byte> message) {
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, peer_, kTag,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void wait_for_all() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  int peer_;
  std::vector<MPI_Request> requests_;
};

// -1: nobody listens there.
int connect_to(const char* path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof name.sun_path) return -1;
  std::strcpy(name.sun_path, path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_connected =
      socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  return is_connected ? socket : -1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const holdfast::hw::Descriptor socket(argc == 2 && processes == 2 ? connect_to(argv[1]) : -1);
  if (!socket.is_open()) {
    std::fputs("mpi_netpipe: it is started on two processes, by holdfast bench netpipe\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto said = static_cast<std::uint32_t>(rank);
  if (holdfast::netpipe::write_whole(socket.get(), &said, sizeof said)) {
    MpiEnd end(rank);
    holdfast::netpipe::serve(socket.get(), rank == 0, end);
  }
  MPI_Finalize();
  return 0;
}
