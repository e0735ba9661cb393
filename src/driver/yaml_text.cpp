#include "driver/yaml_text.hpp"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace kokkosort {
namespace {

/// Notes where a document begins.
class DocumentStart final : public YAML::EventHandler {
 public:
  YAML::Mark place = YAML::Mark::null_mark();

  void OnDocumentStart(const YAML::Mark& mark) override { place = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

}  // namespace

YamlText read_yaml(const std::string& text) {
  YamlText read;
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  while (read.n_documents < 2 && parser.HandleNextDocument(start)) ++read.n_documents;
  read.second_place = start.place;
  if (read.n_documents > 0) read.root = YAML::Load(text);
  return read;
}

}  // namespace kokkosort
