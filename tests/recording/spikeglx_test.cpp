#include "kokkosort/recording/spikeglx.hpp"

#include <gtest/gtest.h>

#include <string>

#include "recording/probe_inputs.hpp"
#include "recording/spikeglx_samples.hpp"

namespace kokkosort::test {
namespace {

SpikeGlxMeta read_meta(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder / "run_g0_t0.imec0.ap.meta", text);
  return read_spikeglx_meta(folder / "run_g0_t0.imec0.ap.meta");
}

std::string meta_error(const std::string& text) {
  const std::string message = message_of<InputError>([&] { read_meta(text); });
  const std::size_t start = message.find("ap.meta: ");
  return start == std::string::npos ? message : message.substr(start + 9);
}

TEST(SpikeGlx, TellsOfNeuropixels1) {
  const SpikeGlxMeta meta = read_meta(np1_meta);
  EXPECT_EQ(meta.n_columns, 5u);
  EXPECT_EQ(meta.n_neural, 4u);
  EXPECT_EQ(meta.sampling_rate_hz, 30000.26);
  EXPECT_DOUBLE_EQ(meta.gain_to_uv, 1e6 * 0.6 / 512 / 250);  // of channel 1, which was saved first
  expect_probe(meta.probe, {0, 1, 3}, {59, 11, 59}, {0, 20, 40}, {0, 0, 0});
}

TEST(SpikeGlx, TellsOfNeuropixels1FromTheOlderShankMap) {
  // The first generation had no type, 5 numbers in the table, and all channels in it.
  const SpikeGlxMeta meta = read_meta(
      "imAiRangeMax=0.6\nimSampRate=30000\nnSavedChans=5\nsnsApLfSy=4,0,1\nsnsSaveChanSubset=0:3,768\n"
      "~imroTbl=(641251209,3,4)(0 0 1 1000 250)(1 0 1 500 250)(2 0 1 500 250)(3 0 1 500 250)\n"
      "~snsShankMap=(1,2,480)(0:0:0:1)(0:1:0:1)(0:0:1:1)(0:1:1:1)\n");
  EXPECT_DOUBLE_EQ(meta.gain_to_uv, 1e6 * 0.6 / 512 / 1000);
  expect_probe(meta.probe, {0, 1, 2, 3}, {27, 59, 11, 43}, {0, 0, 20, 20}, {0, 0, 0, 0});
}

TEST(SpikeGlx, TellsOfNeuropixels2) {
  const SpikeGlxMeta meta = read_meta(np2_meta);
  EXPECT_DOUBLE_EQ(meta.gain_to_uv, 1e6 * 0.5 / 8192 / 80);
  expect_probe(meta.probe, {0, 1, 2, 3}, {27, 59, 277, 809}, {0, 0, 15, 15}, {0, 0, 1, 3});
  EXPECT_DOUBLE_EQ(read_meta(with(np2_meta, "imMaxInt=8192\n", "")).gain_to_uv, meta.gain_to_uv);

  // As sold: 12 bits, gain 100.
  const std::string sold =
      with(with(with(np2_meta, "type=24", "type=2013"), "=8192", "=2048"), "=0.5", "=0.62");
  EXPECT_DOUBLE_EQ(read_meta(sold).gain_to_uv, 1e6 * 0.62 / 2048 / 100);
  EXPECT_EQ(read_meta(sold).probe.probe.x_um, meta.probe.probe.x_um);
  EXPECT_DOUBLE_EQ(read_meta(sold + "imChan0apGain=50\n").gain_to_uv, 1e6 * 0.62 / 2048 / 50);
  const std::string newer =
      sold + "~snsGeomMap=(NP2013,4,250,70)(0:27:0:1)(0:59:0:1)(1:27:15:1)(3:59:15:1)\n";
  expect_probe(read_meta(newer).probe, {0, 1, 2, 3}, {27, 59, 277, 809}, {0, 0, 15, 15}, {0, 0, 1, 3});
  const std::string single =
      with(with(np2_meta, "type=24", "type=21"), "(1:0:1:1)(3:1:1:1)", "(0:0:1:1)(0:1:1:1)");
  expect_probe(read_meta(single).probe, {0, 1, 2, 3}, {27, 59, 27, 59}, {0, 0, 15, 15}, {0, 0, 0, 0});
}

TEST(SpikeGlx, TellsOfNiDevices) {
  const SpikeGlxMeta meta = read_meta(ni_meta);
  EXPECT_EQ(meta.n_columns, 6u);
  EXPECT_EQ(meta.n_neural, 3u);
  EXPECT_EQ(meta.sampling_rate_hz, 25000.0);
  EXPECT_DOUBLE_EQ(meta.gain_to_uv, 1e6 * 2.5 / 32768 / 200);
  EXPECT_EQ(meta.probe.n_channels(), 0u);  // columns and rows without distances
  EXPECT_EQ(read_meta(with(ni_meta, "niMNGain", "niOldGain")).gain_to_uv, 0.0);
}

TEST(SpikeGlx, WhatIsNotToldIsNothing) {
  const SpikeGlxMeta meta = read_meta(with(np2_meta, "type=24", "type=9999"));
  EXPECT_EQ(meta.gain_to_uv, 0.0);
  EXPECT_EQ(meta.probe.n_channels(), 0u);
  EXPECT_EQ(meta.n_neural, 4u);
  EXPECT_EQ(read_meta(with(np2_meta, "~snsShankMap", "~map")).probe.n_channels(), 0u);
  EXPECT_EQ(read_meta(with(np2_meta, "imAiRangeMax", "range")).gain_to_uv, 0.0);
  EXPECT_DOUBLE_EQ(read_meta(with(np1_meta, "~imroTbl", "~table")).gain_to_uv, 1e6 * 0.6 / 512 / 500);
}

TEST(SpikeGlx, MistakesAreNamed) {
  const auto error = [](const std::string& what, const std::string& instead) {
    return meta_error(with(np1_meta, what, instead));
  };
  EXPECT_TRUE(begins(error("nSavedChans", "n"),
                     "nSavedChans: is missing; is this the .meta file that SpikeGLX wrote?"));
  EXPECT_TRUE(
      begins(error("nSavedChans=5", "nSavedChans=0"), "nSavedChans: is '0'; it must be a number from 1 to"));
  EXPECT_TRUE(
      begins(error("nSavedChans=5", "nSavedChans="), "nSavedChans: is ''; it must be a number from 1 to"));
  EXPECT_TRUE(
      begins(error("nSavedChans=5", "nSavedChans=1.5"), "nSavedChans: is 1.5; it must be a whole number"));
  EXPECT_TRUE(begins(error("nSavedChans=5", "nSavedChans=6"),
                     "snsApLfSy: adds up to 5 channels, but nSavedChans is 6; was the file changed?"));
  EXPECT_TRUE(
      begins(error("snsApLfSy", "old"),
             "snsApLfSy: is missing, and snsMnMaXaDw too; it must be the .meta of an Imec probe or an NI"));
  for (const std::string bad : {"4,1", "4,0,x", "4,0,1,0", "", "-4,0,1", "4,.5,1"})
    EXPECT_TRUE(begins(error("snsApLfSy=4,0,1", "snsApLfSy=" + bad),
                       "snsApLfSy: is '" + bad + "'; it must be 3 numbers of channels"));
  EXPECT_TRUE(begins(error("snsApLfSy=4,0,1", "snsApLfSy=0,4,1"),
                     "snsApLfSy: is '0,4,1': no channel holds spikes; give the .bin of the AP band"));
  EXPECT_TRUE(
      begins(meta_error(with(ni_meta, "3,1,1,1", "0,4,1,1")),
             "snsMnMaXaDw: is '0,4,1,1': no channel holds spikes; give the .bin of a device with MN"));
  EXPECT_TRUE(begins(error("imSampRate=30000.26", "imSampRate=30"),
                     "imSampRate: is '30'; it must be a number from 100 to 10000000"));
  EXPECT_TRUE(
      begins(error("imSampRate=30000.26", "imSampRate=nan"), "imSampRate: is 'nan'; it must be a number"));
  EXPECT_TRUE(
      begins(error("imAiRangeMax=0.6", "imAiRangeMax=-1"), "imAiRangeMax: is '-1'; it must be a number"));
  EXPECT_TRUE(
      begins(error("imMaxInt=512", "imMaxInt=0"), "imMaxInt: is '0'; it must be a number from 1 to 32768"));
  EXPECT_TRUE(begins(error("_type=0", "_type=x"), "imDatPrb_type: is 'x'; it must be a number"));
  EXPECT_TRUE(
      begins(error("=1:3,5,12", "=x:3"), "snsSaveChanSubset: is 'x:3'; it must be 'all', or channels like"));
  EXPECT_TRUE(begins(error("=1:3,5,12", "=9:12"), "~imroTbl: has no channel 9, which was saved first"));
  EXPECT_TRUE(
      begins(error("(1 0 0 250 125 1)", "(1 0 0 250)"), "~imroTbl: ('1 0 0 250') has no gain; it must be"));
  EXPECT_TRUE(
      begins(error("(1 0 0 250 125 1)", "(1 0 0 0 125 1)"), "~imroTbl: ('1 0 0 0 125 1') has no gain"));
  EXPECT_TRUE(
      begins(error("(1 0 0 250 125 1)", "(1 0 0 a)"), "~imroTbl: ('1 0 0 a') is not understood; it must"));
  EXPECT_TRUE(
      begins(meta_error(with(np2_meta, "imMaxInt", "imChan0apGain=0\nimMaxInt")), "imChan0apGain: is '0'"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", ""), "~snsGeomMap: has 3 positions, but 4 neural channels were saved"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", "(0:59:0)"), "~snsGeomMap: ('0:59:0') has 3 numbers; each channel has 4"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", "(0:x:0:1)"), "~snsGeomMap: ('0:x:0:1') is not understood; it must hold"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", "(0:11:20:1)"), "~snsGeomMap: the channels of columns 0 and 1 are both at"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", "(0.5:59:0:1)"), "~snsGeomMap: holds 0.5; it must be a whole number"));
  EXPECT_TRUE(
      begins(error("(0:59:0:1)", "(0:1e9:0:1)"), "~snsGeomMap: the channel of column 0 is at 1000000000"));
  EXPECT_TRUE(begins(error("(NP1000,1,0,70)", "(0,0)"),
                     "~snsGeomMap: does not begin with (part number,shanks,shank"));
  EXPECT_TRUE(begins(error("~snsGeomMap=(NP1000,1,0,70)(0:59:0:1)(0:11:20:1)(0:43:20:0)(0:59:40:1)",
                           "~snsGeomMap=(NP1000,1,0,70)(0:59:0:0)(0:11:20:0)(0:43:20:0)(0:59:40:0)"),
                     "~snsGeomMap: has no channels"));
  EXPECT_TRUE(begins(meta_error(""), "is empty"));
}

TEST(SpikeGlx, TheMetaFileLiesBesideTheRecording) {
  const TemporaryFolder folder;
  write_text(folder / "a.ap.meta", "x");
  write_text(folder / "b.meta", "x");
  std::filesystem::create_directory(folder / "c.meta");
  EXPECT_EQ(spikeglx_meta_of(folder / "a.ap.bin"), folder / "a.ap.meta");
  for (const std::string name : {"a.lf.bin", "b.dat", "c.bin", "b.meta", ""})
    EXPECT_EQ(spikeglx_meta_of(folder / name), "") << name;
}

}  // namespace
}  // namespace kokkosort::test
