// holdfast: the command line program. Finds the subcommand, reads its options, runs it.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/runner/version.hpp"

namespace holdfast::program {
namespace {

const std::array kCommands = {&kRunCommand,      &kLaunchCommand, &kStatusCommand,  &kCheckCommand,
                              &kTopologyCommand, &kInfoCommand,   &kCompareCommand, &kReplayCommand,
                              &kNodeCommand,     &kBenchCommand};

std::string usage() {
  std::string text =
      "usage: holdfast COMMAND ...\n\n"
      "Failures of clusters, simulated and real: how fast every process learns of them, at what\n"
      "cost.\n\ncommands:\n";
  for (const Command* command : kCommands) {
    std::string name = command->name;
    name.resize(12, ' ');
    text += "  " + name + command->summary + "\n";
  }
  return text +
         "\nholdfast COMMAND --help says more; holdfast --version says which build this is.\n";
}

int complain(const std::string& message, const std::string& remedy) {
  std::fprintf(stderr, "holdfast: %s\n%s\n", message.c_str(), remedy.c_str());
  return kRefused;
}

int dispatch(std::span<char* const> words) {
  if (words.empty()) return complain("a command is missing", usage());
  const std::string name = words[0];
  if (name == "help" && words.size() > 1) {  // holdfast help COMMAND
    char help[] = "--help";
    const std::array asked = {words[1], static_cast<char*>(help)};
    return dispatch(asked);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(usage().c_str(), stdout);
    return kDone;
  }
  if (name == "--version") {
    const runner::Version& version = runner::version();
    std::printf("holdfast %s %s (%s)\n", version.number, version.git, version.compiler);
    return kDone;
  }
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command* command : kCommands) {
    names.emplace_back(command->name);
    if (name != command->name) continue;
    Arguments arguments;
    const std::string error = arguments.parse(*command, words.subspan(1));
    const std::string prefix = std::string("holdfast ") + command->name;
    if (!error.empty()) {
      std::fprintf(stderr, "%s: %s\n%s --help lists the options\n", prefix.c_str(), error.c_str(),
                   prefix.c_str());
      return kRefused;
    }
    if (arguments.help()) {
      std::fputs(help_text(*command).c_str(), stdout);
      return kDone;
    }
    return command->run(arguments);
  }
  return complain(
      "there is no command \"" + name + "\"" + runner::config::did_you_mean(name, names, ""),
      "holdfast --help lists the commands");
}

}  // namespace
}  // namespace holdfast::program

int main(int count, char** words) {
  using namespace holdfast::program;
  // A write beyond the limit of a file's size (ulimit -f) then fails with a reason, as on a full
  // disk, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  int status = kFailed;
  try {
    status = dispatch({words + 1, static_cast<std::size_t>(count - 1)});
  } catch (const std::exception& error) {  // out of memory, a folder that vanished
    std::fprintf(stderr, "holdfast: %s\n", error.what());
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "holdfast: cannot write to the standard output: %s\n", std::strerror(errno));
  return status == kDone ? kRefused : status;
}
