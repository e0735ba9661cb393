#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/counted.hpp"
#include "io/descriptor.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "recording/reading.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw InputError(path.string() + ": " + what);
}

/// One file of a recording.
struct Part {
  fs::path path;
  Descriptor file;
  std::int64_t first;  // sample, in the recording
  std::int64_t n_samples;
};

std::int64_t count_samples(const fs::path& path, std::int64_t bytes, std::size_t n_channels,
                           SampleType type) {
  const auto sample_bytes = static_cast<std::int64_t>(n_channels * bytes_of(type));
  if (bytes == 0) fail(path, "is empty; it must hold samples");
  if (bytes % sample_bytes != 0)
    fail(path,
         fmt::format(
             "has {}, {} more than a whole number of samples of {} of {} ({} each); are channels and type "
             "right, and was it written completely?",
             counted(bytes, "byte"), bytes % sample_bytes, counted(n_channels, "channel"), name_of(type),
             counted(sample_bytes, "byte")));
  return bytes / sample_bytes;
}

/// Its header would be taken for samples.
void refuse_numpy(const fs::path& path, int file) {
  constexpr std::string_view magic = "\x93NUMPY";
  std::array<char, magic.size()> start{};
  const ssize_t got = pread(file, start.data(), start.size(), 0);
  if (got == static_cast<ssize_t>(magic.size()) && magic == std::string_view(start.data(), start.size()))
    fail(path, "is a NumPy file; write it with tofile()");
}

Part open_part(const fs::path& path, std::int64_t first, std::size_t n_channels, SampleType type) {
  // A pipe would wait for its writer.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ENOENT) fail(path, "there is no such file");
  if (file.get() < 0) fail(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(path, "is not a file");
  refuse_numpy(path, file.get());
  const std::int64_t n = count_samples(path, status.st_size, n_channels, type);
  return {path, std::move(file), first, n};
}

class FlatRecording final : public Recording {
 public:
  FlatRecording(const std::vector<fs::path>& files, std::size_t n_channels, SampleType type)
      : n_channels_(n_channels), type_(type) {
    if (files.empty()) throw InputError("a recording has no files");
    if (n_channels == 0) fail(files.front(), "has no channels");
    for (const fs::path& path : files) parts_.push_back(open_part(path, n_samples(), n_channels, type));
  }

  std::int64_t n_samples() const override {
    return parts_.empty() ? 0 : parts_.back().first + parts_.back().n_samples;
  }
  std::size_t n_channels() const override { return n_channels_; }
  SampleType type() const override { return type_; }
  bool reads_in_parallel() const override { return true; }

  void read(std::int64_t first, std::size_t count, void* to) override {
    check_range(*this, first, count);
    auto* next = static_cast<char*>(to);
    const std::int64_t end = first + static_cast<std::int64_t>(count);
    for (const Part& part : parts_) {
      const std::int64_t from = std::max(first, part.first);
      const std::int64_t here = std::min(end, part.first + part.n_samples) - from;
      if (here <= 0) continue;
      read_part(part, from - part.first, static_cast<std::size_t>(here), next);
      next += static_cast<std::size_t>(here) * sample_bytes();
    }
  }

 private:
  std::size_t sample_bytes() const { return n_channels_ * bytes_of(type_); }

  void read_part(const Part& part, std::int64_t first, std::size_t count, char* to) const {
    const auto start = first * static_cast<std::int64_t>(sample_bytes());
    const std::size_t bytes = count * sample_bytes();
    for (std::size_t done = 0; done < bytes;) {
      const std::int64_t offset = start + static_cast<std::int64_t>(done);
      const ssize_t got = pread(part.file.get(), to + done, bytes - done, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        fail(part.path, fmt::format("cannot be read at byte {}: {}", offset, std::strerror(errno)));
      if (got == 0)
        fail(part.path,
             fmt::format("ends at byte {}; it had {} when it was opened; is another program changing it?",
                         offset, part.n_samples * static_cast<std::int64_t>(sample_bytes())));
      done += static_cast<std::size_t>(got);
    }
    check_finite(*this, to, first, count, part.path.string());
  }

  std::size_t n_channels_;
  SampleType type_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Recording> open_flat_recording(const std::vector<fs::path>& files, std::size_t n_channels,
                                               SampleType type) {
  return std::make_unique<FlatRecording>(files, n_channels, type);
}

}  // namespace kokkosort
