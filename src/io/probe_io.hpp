#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

// Values beyond these are in another unit, or wrong.
constexpr float largest_feature = 1e6f;  // standard deviations of the noise
constexpr double lowest_rate_hz = 100.0;
constexpr double highest_rate_hz = 1e7;
constexpr double finest_spacing_um = 1e-3;
constexpr double widest_spacing_um = 1e6;

/// Reads a whole one-axis dataset. @param size  elements it must have; 0: any number
template <class T>
std::vector<T> read_vector(hdf5::InputFile& file, const std::string& name, std::size_t size = 0);

/// Reads positions in µm. @throws InputError if one is not finite or farther than any probe reaches
std::vector<double> read_positions(hdf5::InputFile& file, const std::string& name, std::size_t size = 0);

/// The file's attribute sampling_rate_hz. @throws InputError if no recording has it
double read_sampling_rate(const hdf5::InputFile& file);
/// An attribute in µm that is the distance between detection's centres. @throws InputError if it is no
/// distance
double read_spacing(const hdf5::InputFile& file, const std::string& object, const std::string& name);

/// What is wrong with such a distance between centres at these places, in words that follow its name; empty
/// if nothing is: sections are laid out on a grid of it.
std::string spacing_complaint(double spacing_um, const std::vector<double>& positions_um);

/// The group "probe". @throws InputError if there is no channel
Probe read_probe(hdf5::InputFile& file);
void write_probe(hdf5::OutputFile& file, const Probe& probe);

/// The group "pcs".
PrincipalComponents read_pcs(hdf5::InputFile& file);
void write_pcs(hdf5::OutputFile& file, const PrincipalComponents& pcs);

}  // namespace kokkosort
