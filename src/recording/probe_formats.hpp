#pragma once
// The formats of probe files.

#include <string>

#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort {

/// ProbeInterface's or Kilosort's JSON. @param file  what errors begin with
ProbeFile parse_probe_json(const std::string& text, const std::string& file);

/// A .prb file. @param file  what errors begin with
ProbeFile parse_prb(const std::string& text, const std::string& file);

}  // namespace kokkosort
