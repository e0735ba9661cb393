#pragma once
// What all probe files have in common: numbers per channel, which have to make sense together.

#include <string>
#include <vector>

#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort {

/// A probe's numbers as a file has them, in its order of channels. Unchecked.
struct ProbeNumbers {
  std::vector<double> column;
  std::vector<double> x_um;
  std::vector<double> y_um;
  std::vector<double> shank;
};

/// What a file calls them.
struct ProbeKeys {
  std::string column;
  std::string x;
  std::string y;  // the same as x where a key holds positions
  std::string shank;
};

struct NamedNumbers {
  ProbeNumbers numbers;
  ProbeKeys keys;
};

/// @param file  what errors begin with
/// @param excluded  channels that are left out before the others' places are looked at
/// @throws InputError as read_probe does
ProbeFile checked_probe(const ProbeNumbers& numbers, const std::string& file, const ProbeKeys& keys,
                        const ExcludedColumns& excluded = {});

/// Shanks' names as numbers: what they say if all are whole numbers that can be one, else in order of
/// appearance.
/// @param first  added to all
std::vector<double> number_shanks(const std::vector<std::string>& names, double first = 0.0);

}  // namespace kokkosort
