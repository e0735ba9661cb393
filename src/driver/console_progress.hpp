#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "driver/run_log.hpp"
#include "kokkosort/progress.hpp"

namespace kokkosort {

/// Shows how a run goes on: one line that changes on a terminal, a line now and then elsewhere. The log hears
/// of every stage's end.
class ConsoleProgress final : public Progress {
 public:
  /// @param log    must stay
  /// @param quiet  nothing is shown, the log alone hears
  ConsoleProgress(double sampling_rate_hz, RunLog& log, bool quiet);
  /// Takes away the line of a stage that did not end: an error's message follows.
  ~ConsoleProgress() override;
  ConsoleProgress(const ConsoleProgress&) = delete;
  ConsoleProgress& operator=(const ConsoleProgress&) = delete;

  void begin(const std::string& stage, std::int64_t samples) override;
  void resume(std::int64_t samples) override;
  void advance(std::int64_t samples) override;
  void end(const std::string& result) override;
  void note(const std::string& text) override;
  /// Tells the log of the stage that did not end, if there is one.
  void fail();

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_in_stage() const;
  /// "detection  12.0 of 120.0 s  34 times real time  3 s left".
  std::string line(std::int64_t samples) const;
  void show(const std::string& text, bool is_last);

  double sampling_rate_hz_;
  RunLog& log_;
  bool quiet_;
  bool on_terminal_;
  bool is_open_ = false;  // the line on the terminal
  bool is_running_ = false;
  std::string stage_;
  std::int64_t n_samples_ = 0;
  std::int64_t n_before_ = 0;  // samples that an earlier run has done
  Clock::time_point begun_;
  Clock::time_point shown_;
};

}  // namespace kokkosort
