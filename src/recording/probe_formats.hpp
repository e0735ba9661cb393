#pragma once
// The formats of probe files.

#include <string>

#include "recording/probe_numbers.hpp"

namespace kokkosort {

/// ProbeInterface's or Kilosort's JSON. @param file  what errors begin with
NamedNumbers parse_probe_json(const std::string& text, const std::string& file);

/// A .prb file. @param file  what errors begin with
NamedNumbers parse_prb(const std::string& text, const std::string& file);

}  // namespace kokkosort
