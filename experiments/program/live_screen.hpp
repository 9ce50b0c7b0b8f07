// A terminal that a picture is drawn on again and again, on its alternate screen; what was there
// before is there again afterwards, however the drawing ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::program {

class LiveScreen {
 public:
  // Takes the terminal of the standard output, and SIGINT, SIGTERM and SIGHUP.
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // How many rows too few the terminal has for these lines.
  std::size_t rows_beyond(const std::vector<std::string>& lines) const;
  // Lines that are too long go on in the next row; those beyond the last row are cut.
  void draw(const std::vector<std::string>& lines);
  // Waits; false: one of the signals has come.
  bool wait(int milliseconds);

 private:
  int signals_ = -1;  // a signalfd
};

}  // namespace holdfast::program
