#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// Reads a whole one-axis dataset. @param size  elements it must have; 0: any number
template <class T>
std::vector<T> read_vector(hdf5::InputFile& file, const std::string& name, std::size_t size = 0);

/// Reads positions in µm. @throws InputError if one is not finite or farther than any probe reaches
std::vector<double> read_positions(hdf5::InputFile& file, const std::string& name, std::size_t size = 0);

/// The group "probe". @throws InputError if there is no channel
Probe read_probe(hdf5::InputFile& file);
void write_probe(hdf5::OutputFile& file, const Probe& probe);

/// The group "pcs".
PrincipalComponents read_pcs(hdf5::InputFile& file);
void write_pcs(hdf5::OutputFile& file, const PrincipalComponents& pcs);

}  // namespace kokkosort
