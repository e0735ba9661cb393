#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace kokkosort {

/// What a text in YAML holds.
struct YamlText {
  int n_documents = 0;      // of which no more than two are counted
  YAML::Node root;          // of the first
  YAML::Mark second_place;  // where the second begins
};

/// Unlike YAML::LoadAll(), it ends: that reads documents without end, and so without limit to its memory,
/// where what follows on a document's end begins with a comma (yaml-cpp 0.7).
/// @throws YAML::Exception if it is not YAML
YamlText read_yaml(const std::string& text);

}  // namespace kokkosort
