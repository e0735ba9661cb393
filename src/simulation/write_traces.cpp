#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <future>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "kokkosort/simulation/simulate.hpp"
#include "simulation/noise.hpp"
#include "simulation/units.hpp"

namespace kokkosort {
namespace {

/// Makes slices of a recording, one after the other; every thread has its own.
class SliceRenderer {
 public:
  SliceRenderer(const Simulation& simulation, const NoiseMixer& noise)
      : simulation_(simulation),
        noise_(noise),
        traces_(simulation.probe.x_um.size() * slice_samples),
        seen_(simulation.units.size()) {}

  /// @param to  [slice_samples, channels]
  void render(std::int64_t slice, std::int16_t* to) {
    noise_.make(slice, traces_.data(), normals_);
    const std::int64_t first = slice * static_cast<std::int64_t>(slice_samples);
    const std::vector<std::int64_t>& sample = simulation_.truth.sample;
    const std::int64_t end = first + static_cast<std::int64_t>(slice_samples) + simulation_.before();
    const auto begin = std::lower_bound(sample.begin(), sample.end(), first - simulation_.after());
    for (auto i = static_cast<std::size_t>(begin - sample.begin()); i < sample.size() && sample[i] < end; ++i)
      add_spike(i, first);
    store(to);
  }

 private:
  /// A unit where it was last seen.
  struct Seen {
    std::int64_t shift_um = 0;
    std::optional<UnitWaveforms> waveforms;
  };

  const UnitWaveforms& waveforms_at(std::size_t unit, std::int64_t sample) {
    const SimulationOptions& options = simulation_.options;
    const std::int64_t shift_um = std::llround(options.drift_um * static_cast<double>(sample) /
                                               static_cast<double>(simulation_.n_samples));
    Seen& seen = seen_[unit];
    if (!seen.waveforms || seen.shift_um != shift_um)
      seen = {shift_um, waveforms_of(simulation_, simulation_.units[unit], static_cast<double>(shift_um))};
    return *seen.waveforms;
  }

  /// @param first  the slice's first sample
  void add_spike(std::size_t spike, std::int64_t first) {
    const std::int64_t sample = simulation_.truth.sample[spike];
    const UnitWaveforms& waveforms =
        waveforms_at(static_cast<std::size_t>(simulation_.truth.unit[spike]), sample);
    const std::int64_t nt = simulation_.nt();
    const std::int64_t start = sample - simulation_.before() - first;
    const std::int64_t from = std::max<std::int64_t>(0, -start);
    const std::int64_t to = std::min<std::int64_t>(nt, static_cast<std::int64_t>(slice_samples) - start);
    for (std::size_t row = 0; row < waveforms.channels.size(); ++row) {
      const float* const waveform = &waveforms.values[row * static_cast<std::size_t>(nt)];
      float* const trace = &traces_[static_cast<std::size_t>(waveforms.channels[row]) * slice_samples];
      for (std::int64_t t = from; t < to; ++t) trace[start + t] += simulation_.amplitude[spike] * waveform[t];
    }
  }

  void store(std::int16_t* to) const {
    using Limits = std::numeric_limits<std::int16_t>;
    const auto per_uv = static_cast<float>(1.0 / simulation_.options.gain_to_uv);
    const std::size_t n_channels = simulation_.probe.x_um.size();
    for (std::size_t c = 0; c < n_channels; ++c)
      for (std::size_t t = 0; t < slice_samples; ++t) {
        const float stored = std::nearbyint(traces_[c * slice_samples + t] * per_uv);
        to[t * n_channels + c] =
            static_cast<std::int16_t>(std::clamp<float>(stored, Limits::lowest(), Limits::max()));
      }
  }

  const Simulation& simulation_;
  const NoiseMixer& noise_;
  std::vector<float> traces_;  // [channels, slice_samples]
  std::vector<float> normals_;
  std::vector<Seen> seen_;  // [units]
};

/// Makes neighbouring slices, each by the next renderer that is free.
/// @param to  [slices · slice_samples, channels]
void render_slices(std::vector<SliceRenderer>& renderers, std::int64_t first, std::int64_t n_slices,
                   std::size_t slice_size, std::int16_t* to) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&](SliceRenderer& renderer) {
    for (std::int64_t i = next++; i < n_slices; i = next++)
      renderer.render(first + i, to + static_cast<std::size_t>(i) * slice_size);
  };
  std::vector<std::future<void>> others;
  for (std::size_t r = 1; r < renderers.size(); ++r)
    others.push_back(std::async(std::launch::async, work, std::ref(renderers[r])));
  work(renderers[0]);
  for (std::future<void>& other : others) other.get();
}

[[noreturn]] void fail_writing(const std::filesystem::path& path) {
  throw std::runtime_error(path.string() + " cannot be written: " + std::strerror(errno));
}

}  // namespace

void write_traces(const Simulation& simulation, const std::filesystem::path& path,
                  const RenderOptions& options) {
  const NoiseMixer noise(simulation);
  std::vector<SliceRenderer> renderers(static_cast<std::size_t>(std::max(1, options.threads)),
                                       {simulation, noise});
  constexpr auto per_slice = static_cast<std::int64_t>(slice_samples);
  const std::int64_t n_slices = (simulation.n_samples + per_slice - 1) / per_slice;
  const std::size_t n_channels = simulation.probe.x_um.size();
  const std::size_t slice_size = slice_samples * n_channels;
  const auto per_chunk =
      std::min(n_slices,
               static_cast<std::int64_t>(std::max(renderers.size(), options.chunk_bytes / (2 * slice_size))));
  std::vector<std::int16_t> chunk(static_cast<std::size_t>(per_chunk) * slice_size);

  std::ofstream file(path, std::ios::binary);
  for (std::int64_t slice = 0; slice < n_slices; slice += per_chunk) {
    const std::int64_t count = std::min(per_chunk, n_slices - slice);
    render_slices(renderers, slice, count, slice_size, chunk.data());
    const std::int64_t end = std::min((slice + count) * per_slice, simulation.n_samples);
    const auto bytes = static_cast<std::size_t>(end - slice * per_slice) * n_channels * sizeof(std::int16_t);
    if (!file.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(bytes)))
      fail_writing(path);
    if (options.progress) options.progress(end);
  }
  if (!file.flush()) fail_writing(path);
}

}  // namespace kokkosort
