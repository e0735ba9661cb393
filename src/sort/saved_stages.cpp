#include "sort/saved_stages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kokkosort {
namespace {

template <class T, class Field>
std::vector<T> column_of(const std::vector<ChannelReport>& channels, Field ChannelReport::*field) {
  std::vector<T> column;
  for (const ChannelReport& channel : channels) column.push_back(static_cast<T>(channel.*field));
  return column;
}

}  // namespace

ArraysToSave to_save(const Preparation& preparation) {
  const TracePreparation& traces = preparation.traces;
  ArraysToSave arrays;
  arrays.add("column", traces.column);
  arrays.add_number("sampling_rate_hz", traces.sampling_rate_hz);
  arrays.add_number("highpass_hz", traces.highpass_hz);
  arrays.add_number("common_reference", traces.common_reference);
  arrays.add_number("offset", traces.offset);
  arrays.add("neighbours", traces.neighbours);
  arrays.add("weights", traces.weights);
  arrays.add("whitening", preparation.whitening);
  arrays.add("noise", column_of<double>(preparation.channels, &ChannelReport::noise));
  arrays.add("saturated", column_of<double>(preparation.channels, &ChannelReport::saturated));
  arrays.add("is_dead", column_of<std::int32_t>(preparation.channels, &ChannelReport::is_dead));
  arrays.add("is_saturated", column_of<std::int32_t>(preparation.channels, &ChannelReport::is_saturated));
  return arrays;
}

void restore(SavedArrays& saved, Preparation& preparation) {
  TracePreparation& traces = preparation.traces;
  traces.column = std::move(saved.vector<std::int32_t>("column"));
  traces.sampling_rate_hz = saved.number("sampling_rate_hz");
  traces.highpass_hz = saved.number("highpass_hz");
  traces.common_reference = saved.number("common_reference") != 0.0;
  traces.offset = saved.number("offset");
  traces.neighbours = saved.matrix<std::int32_t>("neighbours");
  traces.weights = saved.matrix<float>("weights");
  preparation.whitening = saved.matrix<double>("whitening");
  preparation.channels.resize(traces.column.size());
  for (std::size_t c = 0; c < preparation.channels.size(); ++c)
    preparation.channels[c] = {saved.vector<double>("noise")[c], saved.vector<double>("saturated")[c],
                               saved.vector<std::int32_t>("is_dead")[c] != 0,
                               saved.vector<std::int32_t>("is_saturated")[c] != 0};
}

ArraysToSave to_save(const UniversalTemplates& learned) {
  ArraysToSave arrays;
  arrays.add("wPCA", learned.pcs.wPCA);
  arrays.add("wTEMP", learned.pcs.wTEMP);
  arrays.add_number("peak_sample", learned.pcs.peak_sample);
  arrays.add_number("n_peaks", static_cast<double>(learned.n_peaks));
  arrays.add_number("are_generic", learned.are_generic);
  return arrays;
}

void restore(SavedArrays& saved, UniversalTemplates& learned) {
  learned.pcs.wPCA = saved.matrix<float>("wPCA");
  learned.pcs.wTEMP = saved.matrix<float>("wTEMP");
  learned.pcs.peak_sample = static_cast<int>(saved.number("peak_sample"));
  learned.n_peaks = static_cast<std::size_t>(saved.number("n_peaks"));
  learned.are_generic = saved.number("are_generic") != 0.0;
}

ArraysToSave to_save(const ClusteredUnits& clustered) {
  ArraysToSave arrays;
  arrays.add_number("n_spikes", static_cast<double>(clustered.n_spikes));
  arrays.add("labels", clustered.units.labels);
  arrays.add("means", clustered.units.means);
  arrays.add("templates", clustered.templates);
  return arrays;
}

void restore(SavedArrays& saved, ClusteredUnits& clustered) {
  clustered.n_spikes = static_cast<std::size_t>(saved.number("n_spikes"));
  clustered.units.labels = std::move(saved.vector<std::int32_t>("labels"));
  clustered.units.means = saved.tensor<float>("means");
  clustered.templates = saved.tensor<float>("templates");
}

}  // namespace kokkosort
