// Meeting through PMIx: mpirun of Open MPI, srun --mpi=pmix and others tell a process its rank and
// hand its introduction to all others. Rank 0 gives the job its number and key.
#pragma once

#include <functional>
#include <memory>

#include "hw/descriptor.hpp"
#include "hw/launch/meeting.hpp"

namespace holdfast::hw {

// Of reach(): however many there are.
constexpr std::uint32_t kAnyNumber = 0;

class PmixMeeting final : public Meeting {
 public:
  // Whether this process was started under PMIx. If not, `why_not` says what it was started under
  // instead, as far as its environment tells, and how to mend that.
  static bool is_there(std::string& why_not);

  PmixMeeting();
  // Tells the process manager that this process ends in order.
  ~PmixMeeting() override;

  Met reach(std::uint32_t processes, Time until) override;
  ProcessId self() const override;
  // How many were started, after reach().
  std::uint32_t processes() const;
  // 127.0.0.1 if all processes of the job are on this machine, else the first other address of it
  // that is up.
  IpAddress local_ip() const override;
  Met meet(const Introduction& introduction, Time until, MetJob& job) override;
  int lifeline() const override { return lifeline_.get(); }

 private:
  struct Shared;

  // A call of the library may wait for ever, so it is made on a thread of its own. False if it is
  // not done by then.
  bool done_by(Time until, std::function<void(Shared&)> work);
  Met late(const char* what);

  std::shared_ptr<Shared> shared_;
  Descriptor lifeline_;
  bool reached_ = false;
  bool waits_ = false;  // a call has not come back
};

}  // namespace holdfast::hw
