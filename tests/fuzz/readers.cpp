#include "fuzz/readers.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

#include "driver/cluster_deck.hpp"
#include "driver/deck.hpp"
#include "driver/match_deck.hpp"
#include "driver/simulate_deck.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sweep_deck.hpp"
#include "fuzz/mutator.hpp"
#include "io/checkpoint_file.hpp"
#include "io/hdf5.hpp"
#include "io/small_features.hpp"
#include "io/small_templates.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"
#include "kokkosort/io/templates_file.hpp"
#include "kokkosort/io/trains_file.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "kokkosort/recording/probe_file.hpp"
#include "kokkosort/recording/spikeglx.hpp"
#include "recording/probe_samples.hpp"
#include "recording/spikeglx_samples.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

using Format = FuzzedReader::Format;

constexpr std::size_t host_limit = std::size_t{64} << 20;

void require(bool holds, const std::string& rule) {
  if (!holds) throw std::logic_error(rule);
}

// Decks.

/// A deck that is read is the same deck once it is written out in full, as it stands beside every result.
template <class Deck>
void read_deck(const fs::path& path, DeckKeys (*keys_of)(Deck&)) {
  Deck deck;
  const DeckKeys keys = keys_of(deck);
  load_deck(path, {}, keys);
  deck_sets(path, {}, "sweep");
  const std::string complete = keys.to_yaml();
  const fs::path written = path.parent_path() / "complete.yaml";
  fs::remove(written);
  write_text(written, complete);
  Deck again;
  const DeckKeys keys_again = keys_of(again);
  try {
    load_deck(written, {}, keys_again);
  } catch (const InputError& error) {
    throw std::logic_error(fmt::format("the complete deck is refused: {}\n{}", error.what(), complete));
  }
  require(keys_again.to_yaml() == complete, "the complete deck reads as another:\n" + complete);
}

/// The bundled decks, and one that has every key.
template <class Deck>
std::vector<std::string> deck_samples(DeckKeys (*keys_of)(Deck&), const std::vector<std::string>& bundled) {
  Deck deck;
  std::vector<std::string> samples = {keys_of(deck).to_yaml()};
  for (const std::string& name : bundled)
    samples.push_back(read_text(fs::path(KOKKOSORT_SOURCE_DIR) / "inputs" / (name + ".yaml")));
  return samples;
}

template <class Deck>
FuzzedReader deck_reader(const std::string& command, DeckKeys (*keys_of)(Deck&),
                         const std::vector<std::string>& bundled) {
  return {"deck_" + command,
          "deck.yaml",
          Format::text,
          200,
          deck_samples<Deck>(keys_of, bundled),
          [keys_of](const fs::path& path) { read_deck<Deck>(path, keys_of); }};
}

// Probes.

void read_probe_file(const fs::path& path) {
  const ProbeFile file = read_probe(path);
  const std::size_t n = file.n_channels();
  require(n > 0, "a probe without channels");
  require(file.probe.x_um.size() == n && file.probe.y_um.size() == n && file.probe.shank.size() == n,
          "columns and positions of a probe are not as many");
}

void read_meta_file(const fs::path& path) {
  const SpikeGlxMeta meta = read_spikeglx_meta(path);
  require(meta.n_neural > 0 && meta.n_neural <= meta.n_columns, "more neural channels than columns");
  require(meta.probe.n_channels() <= meta.n_neural, "a probe of more channels than were saved");
  require(meta.gain_to_uv >= 0.0, "a gain below zero");
}

// HDF5.

/// What a function writes into a new file.
template <class Write>
std::string written(const fs::path& folder, const Write& write) {
  const fs::path path = folder / "sample.h5";
  fs::remove(path);
  write(path);
  return read_text(path);
}

void write_traces(const fs::path& path, bool in_chunks, hid_t type) {
  hdf5::OutputFile(path).close();
  const hdf5::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  constexpr hsize_t shape[2] = {50, 4};
  constexpr hsize_t chunk[2] = {8, 4};
  std::vector<std::int16_t> values(shape[0] * shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(i * 7919 % 301);
  const hdf5::Id space(H5Screate_simple(2, shape, nullptr));
  const hdf5::Id properties(H5Pcreate(H5P_DATASET_CREATE));
  if (in_chunks) {
    H5Pset_chunk(properties.get(), 2, chunk);
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), 1);
  }
  const hdf5::Id dataset(
      H5Dcreate2(file.get(), "traces", type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  H5Dwrite(dataset.get(), H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  const hdf5::Id scalar(H5Screate(H5S_SCALAR));
  const hdf5::Id attribute(
      H5Acreate2(dataset.get(), "scale_to_sigma", H5T_IEEE_F64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
  constexpr double scale = 0.005;
  H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &scale);
}

/// A file of the newest format, whose headers have sums.
template <class Write>
void write_newest(const fs::path& path, const Write& write) {
  const fs::path older = path.parent_path() / "older.h5";
  fs::remove(older);
  write(older);
  const hdf5::Id from(H5Fopen(older.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const hdf5::Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hdf5::Id to(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()));
  for (const char* object : {"probe", "pcs", "detected", "traces", "truth", "learned_templates"})
    H5Ocopy(from.get(), object, to.get(), object, H5P_DEFAULT, H5P_DEFAULT);
}

void write_trains(const fs::path& path) {
  hdf5::OutputFile file(path);
  const std::vector<std::int64_t> sample = {1, 5, 9, 1000};
  const std::vector<std::int32_t> unit = {0, 1, 0, 2};
  file.group("truth");
  file.write("truth/sample", {sample.size()}, sample.data());
  file.write("truth/unit", {unit.size()}, unit.data());
  file.attribute("/", "sampling_rate_hz", 30000.0);
  file.close();
}

void read_recording(const fs::path& path) {
  if (!is_hdf5_file(path)) throw InputError(path.string() + ": is no HDF5 file");
  const Hdf5Recording recording = open_hdf5_recording(path, "traces");
  constexpr std::size_t most_samples = 200;  // as one batch of a recording is read, whatever its length
  const auto n =
      static_cast<std::size_t>(std::min<std::int64_t>(recording.traces->n_samples(), most_samples));
  const std::size_t bytes = recording.traces->n_channels() * bytes_of(recording.traces->type());
  if (bytes > host_limit / n) return;  // `sort` compares them with the probe's, and with its limit
  std::vector<char> samples(n * bytes);
  recording.traces->read(0, n, samples.data());
  recording.traces->read(recording.traces->n_samples() - 1, 1, samples.data());
}

void read_features_file(const fs::path& path) {
  const SpikeFeatures spikes = read_features(path, "detected", host_limit);
  require(spikes.n_spikes() > 0, "features of no spikes");
  require(std::is_sorted(spikes.sample.data(), spikes.sample.data() + spikes.n_spikes()),
          "spikes out of order");
}

void read_templates_file(const fs::path& path) {
  const TemplateSet set = read_templates(path, "learned_templates", host_limit, {});
  require(set.templates.size() > 0, "no templates");
}

void read_trains_file(const fs::path& path) {
  const TrainsFile file = read_trains(path, "truth/sample", "truth/unit", host_limit);
  require(file.trains.unit.size() == file.trains.n_spikes(), "more units than spikes");
}

template <class Write>
std::vector<std::string> old_and_new(const fs::path& folder, const Write& write) {
  return {written(folder, write), written(folder, [&](const fs::path& path) { write_newest(path, write); })};
}

// Checkpoints.

void write_small_checkpoint(const fs::path& path) {
  ArraysToSave arrays;
  arrays.add("some", std::vector<float>{1.0f, 2.0f, 3.0f});
  arrays.add("more", std::vector<std::int64_t>{1, 2});
  arrays.add("matrix", HostMatrix<double>("kokkosort::test::matrix", 2, 3));
  write_checkpoint(path, "a: 1\nb: 2\n", arrays);
}

/// One that was changed at all is none.
void read_checkpoint_file(const fs::path& path, const std::string& sample) {
  read_fingerprint(path);
  const bool is_whole = read_checkpoint(path).has_value();
  require(!is_whole || read_text(path) == sample, "a damaged checkpoint is taken for a whole one");
  if (!is_whole) throw InputError(path.string() + ": is damaged");
}

}  // namespace

std::vector<FuzzedReader> fuzzed_readers(const fs::path& folder) {
  mkfifo((folder / "pipe.h5").c_str(), 0600);  // that links may lead to; it may be there
  const auto small_features = [](const fs::path& path) { SmallFeatures().write(path); };
  const auto small_templates = [](const fs::path& path) { SmallTemplates().write(path); };
  const auto chunks = [](const fs::path& path) { write_traces(path, true, H5T_STD_I16LE); };
  const auto block = [](const fs::path& path) { write_traces(path, false, H5T_IEEE_F64BE); };
  std::vector<std::string> recordings = old_and_new(folder, chunks);
  recordings.push_back(written(folder, block));
  const std::string checkpoint = written(folder, write_small_checkpoint);
  return {
      deck_reader("sort", sort_keys, {"recording", "demo"}),
      deck_reader("cluster", cluster_keys, {"features"}),
      deck_reader("match", match_keys, {"match"}),
      deck_reader("simulate", simulate_keys, {"simulate"}),
      deck_reader("sweep", sweep_keys, {"sweep_neighbours", "sweep_splits_teams"}),
      {"probe", "a.probe", Format::text, 3000, {kilosort_json, probeinterface_json, prb}, read_probe_file},
      {"meta", "a.meta", Format::text, 3000, {np1_meta, np2_meta, ni_meta}, read_meta_file},
      {"features", "a.h5", Format::hdf5, 150, old_and_new(folder, small_features), read_features_file},
      {"templates", "a.h5", Format::hdf5, 150, old_and_new(folder, small_templates), read_templates_file},
      {"recording", "a.h5", Format::hdf5, 150, recordings, read_recording},
      {"trains", "a.h5", Format::hdf5, 150, old_and_new(folder, write_trains), read_trains_file},
      {"checkpoint",
       "a.checkpoint",
       Format::bytes,
       1000,
       {checkpoint},
       [checkpoint](const fs::path& path) { read_checkpoint_file(path, checkpoint); }},
  };
}

namespace {

/// Changes objects of a file in another process: not all of the library's writing stands up to it.
void change_objects(Mutator& any, const fs::path& path) {
  const pid_t process = fork();
  if (process == 0) {
    any.hdf5_objects(path);
    _exit(EXIT_SUCCESS);
  }
  waitpid(process, nullptr, 0);
}

}  // namespace

fs::path write_damaged(const FuzzedReader& reader, std::uint64_t seed, const fs::path& folder) {
  Mutator any(seed);
  const std::string& sample = reader.samples[any.below(reader.samples.size())];
  const std::string& other = reader.samples[any.below(reader.samples.size())];
  const fs::path path = folder / reader.file;
  fs::remove(path);  // to write over it would wait for the disk
  if (reader.format == Format::text) {
    write_text(path, any.text(sample, other));
    return path;
  }
  const bool changes_objects = reader.format == Format::hdf5 && any.one_in(3);
  write_text(path, sample);
  if (changes_objects) change_objects(any, path);
  if (changes_objects && !any.one_in(3)) return path;
  const std::string bytes = read_text(path);
  fs::remove(path);
  write_text(path, any.bytes(bytes, other));
  return path;
}

bool read_by_the_rules(const FuzzedReader& reader, const fs::path& file) {
  try {
    reader.read(file);
    return true;
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.starts_with(file.string() + ":"), "does not begin with the file's name: " + message);
    require(message.size() < file.string().size() + 1000, "is far too long: " + message);
    require(std::none_of(message.begin(), message.end(),
                         [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }),
            "is more than a line of text: " + message);
    return false;
  }
}

MemoryBound::MemoryBound(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  before_ = limit.rlim_cur;
  limit.rlim_cur =
      std::min<rlim_t>(limit.rlim_max, pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes);
  setrlimit(RLIMIT_AS, &limit);
}

MemoryBound::~MemoryBound() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = before_;
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace kokkosort::test
