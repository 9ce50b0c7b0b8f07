// The small text files in which the kernel says what it knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// The text of a file without the white space at its ends; false, with the reason in `text`.
bool read_kernel_file(const std::string& path, std::string& text);

// The names in a folder, sorted; empty if there is no such folder.
std::vector<std::string> list_kernel_folder(const std::string& path);

// Adds the file's number (decimal, or hexadecimal after 0x) or text as a fact, or why there is
// none.
void add_number(FactGroup& group, std::string fact, const std::string& path, std::string unit = "");
void add_text(FactGroup& group, std::string fact, const std::string& path);

// The number behind `key` in lines like "MemTotal:   1024 kB"; -1 if there is no such line.
std::int64_t number_after(std::string_view text, std::string_view key);

}  // namespace holdfast::hw
