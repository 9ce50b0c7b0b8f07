// /proc/meminfo and /sys/kernel/mm.
#include "hw/probe/memory.hpp"

#include "hw/probe/kernel_file.hpp"

namespace holdfast::hw {
namespace {

void add_kilobytes(FactGroup& group, const char* fact, const std::string& path,
                   const std::string& text, const char* key) {
  const std::int64_t kilobytes = number_after(text, key);
  if (kilobytes < 0) return group.add_unknown(fact, path + " has no " + key);
  group.add(fact, kilobytes * 1024, "bytes");
}

// "always [madvise] never" -> "madvise".
void add_chosen(FactGroup& group, const char* fact, const std::string& path) {
  std::string text;
  if (!read_kernel_file(path, text)) return group.add_unknown(fact, text);
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  if (open == std::string::npos || close == std::string::npos)
    return group.add_unknown(fact, path + " marks no choice: " + text);
  group.add(fact, text.substr(open + 1, close - open - 1));
}

}  // namespace

FactGroup probe_memory(const KernelFiles& files) {
  FactGroup memory{"memory", {}, {}};
  const std::string path = files.proc + "/meminfo";
  std::string text;
  if (read_kernel_file(path, text)) {
    add_kilobytes(memory, "total", path, text, "MemTotal");
    add_kilobytes(memory, "available", path, text, "MemAvailable");
  } else {
    memory.add_unknown("total", text);
  }
  const std::string pages = files.sys + "/kernel/mm";
  add_chosen(memory, "transparent_huge_pages", pages + "/transparent_hugepage/enabled");
  for (const std::string& size : list_kernel_folder(pages + "/hugepages")) {
    FactGroup part{size, {}, {}};
    add_number(part, "pages", pages + "/hugepages/" + size + "/nr_hugepages");
    add_number(part, "free", pages + "/hugepages/" + size + "/free_hugepages");
    memory.parts.push_back(std::move(part));
  }
  return memory;
}

}  // namespace holdfast::hw
