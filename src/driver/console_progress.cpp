#include "driver/console_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kokkosort {
namespace {

constexpr double between_changes_s = 0.2;  // of the line on a terminal
constexpr double between_lines_s = 30.0;   // elsewhere

}  // namespace

ConsoleProgress::ConsoleProgress(double sampling_rate_hz, RunLog& log, bool quiet)
    : sampling_rate_hz_(sampling_rate_hz),
      log_(log),
      quiet_(quiet),
      on_terminal_(isatty(STDERR_FILENO) == 1) {}

ConsoleProgress::~ConsoleProgress() {
  if (on_terminal_ && is_open_) show("", false);
}

double ConsoleProgress::seconds_in_stage() const {
  return std::chrono::duration<double>(Clock::now() - begun_).count();
}

void ConsoleProgress::begin(const std::string& stage, std::int64_t samples) {
  stage_ = stage;
  is_running_ = true;
  n_samples_ = samples;
  n_before_ = 0;
  begun_ = shown_ = Clock::now();
  if (on_terminal_) show(stage_, false);
}

std::string ConsoleProgress::line(std::int64_t samples) const {
  const double all = static_cast<double>(n_samples_) / sampling_rate_hz_;
  const double before = static_cast<double>(n_before_) / sampling_rate_hz_;
  const double done = std::min(static_cast<double>(samples) / sampling_rate_hz_, all);
  const double rate = std::max(done - before, 0.0) / std::max(seconds_in_stage(), 1e-9);
  return fmt::format("{:<30} {:.0f} of {:.0f} s, {:.1f} times real time, {:.0f} s left", stage_, done, all,
                     rate, rate > 0.0 ? (all - done) / rate : 0.0);
}

void ConsoleProgress::resume(std::int64_t samples) {
  n_before_ = samples;
  if (samples >= n_samples_) return;  // the end will tell
  note(fmt::format("{}: goes on at {:.1f} of {:.1f} s, from a checkpoint", stage_,
                   static_cast<double>(samples) / sampling_rate_hz_,
                   static_cast<double>(n_samples_) / sampling_rate_hz_));
}

void ConsoleProgress::note(const std::string& text) {
  log_.write(text);
  show(text, true);
}

void ConsoleProgress::advance(std::int64_t samples) {
  const double since = std::chrono::duration<double>(Clock::now() - shown_).count();
  if (n_samples_ == 0 || samples <= 0 || since < (on_terminal_ ? between_changes_s : between_lines_s)) return;
  shown_ = Clock::now();
  show(line(samples), false);
  if (!on_terminal_) log_.write(line(samples));
}

void ConsoleProgress::end(const std::string& result) {
  is_running_ = false;
  const double seconds = seconds_in_stage();
  std::string text = fmt::format("{:<30} {:>8.2f} s", stage_, seconds);
  if (n_before_ >= n_samples_ && n_samples_ > 0)
    text += "  from a checkpoint:";
  else if (n_samples_ > 0)
    text += fmt::format(", {:.1f} times real time", static_cast<double>(n_samples_ - n_before_) /
                                                        sampling_rate_hz_ / std::max(seconds, 1e-9));
  text += "  " + result;
  log_.write(text);
  show(text, true);
}

void ConsoleProgress::fail() {
  if (is_running_) log_.write(fmt::format("{:<30} {:>8.2f} s  did not end", stage_, seconds_in_stage()));
  is_running_ = false;
}

void ConsoleProgress::show(const std::string& text, bool is_last) {
  if (quiet_) return;
  is_open_ = !is_last;
  if (on_terminal_)
    fmt::print(stderr, "\r\x1b[K{}{}", text, is_last ? "\n" : "");
  else
    fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

}  // namespace kokkosort
