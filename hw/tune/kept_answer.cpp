// Written under another name and renamed, so that of several processes that start at the same time
// none reads half a file.
#include "hw/tune/kept_answer.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  // Family, model and stepping tell apart what a name may not, as on virtual machines.
  std::string model;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* wanted :
         {"vendor_id", "cpu family", "model", "stepping", "cache size", "flags"})
      if (line.starts_with(wanted)) model += line + "\n";
  }
  return model;
}

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i)
    text[text.size() - 1 - i] = "0123456789abcdef"[(number >> (4 * i)) & 0xf];
  return text;
}

std::uint64_t digest(std::string_view text) {
  std::uint64_t all = text.size();
  for (const char character : text) all = mix64(all ^ static_cast<unsigned char>(character));
  return all;
}

}  // namespace

KeptAnswer::KeptAnswer(const std::string& question, const std::string& build,
                       const std::string& folder)
    : folder_(folder) {
  if (folder.empty()) return;
  path_ = folder + "/" + question + "-" + hexadecimal(digest(processor_model() + build)) + ".txt";
}

std::optional<std::string> KeptAnswer::read() const {
  if (path_.empty()) return std::nullopt;
  std::ifstream file(path_, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::nullopt;
  return text;
}

bool KeptAnswer::write(const std::string& text) const {
  if (path_.empty()) return false;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const std::string partial = path_ + "." + std::to_string(::getpid());
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  if (file) std::filesystem::rename(partial, path_, error);
  if (file && !error) return true;
  std::filesystem::remove(partial, error);
  return false;
}

}  // namespace holdfast::hw
