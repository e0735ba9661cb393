#pragma once
// .meta files as SpikeGLX writes them, for probes of few channels.

namespace kokkosort::test {

// Neuropixels 1.0 since 2023: of 6 channels 4 were saved, of which the third is the reference.
inline const char* const np1_meta =
    "acqApLfSy=6,6,1\r\n"
    "appVersion=20230326\r\n"
    "fileSizeBytes=1000\r\n"
    "imAiRangeMax=0.6\r\n"
    "imAiRangeMin=-0.6\r\n"
    "imChan0apGain=500\r\n"
    "imDatPrb_pn=NP1000\r\n"
    "imDatPrb_type=0\r\n"
    "imMaxInt=512\r\n"
    "imSampRate=30000.26\r\n"
    "nSavedChans=5\r\n"
    "snsApLfSy=4,0,1\r\n"
    "snsSaveChanSubset=1:3,5,12\r\n"
    "typeThis=imec\r\n"
    "userNotes=a=b\r\n"
    "~imroTbl=(0,6)(0 0 0 500 250 1)(1 0 0 250 125 1)(2 0 0 500 250 1)(3 0 0 500 250 1)(4 0 0 500 250 1)(5 0 "
    "0 500 "
    "250 1)\r\n"
    "~snsChanMap=(6,6,1)(AP1;1:1)(AP2;2:2)(AP3;3:3)(AP5;5:5)(SY0;12:12)\r\n"
    "~snsGeomMap=(NP1000,1,0,70)(0:59:0:1)(0:11:20:1)(0:43:20:0)(0:59:40:1)\r\n";

// Neuropixels 2.0 of four shanks, in its prototype: four AP channels, none of LF.
inline const char* const np2_meta =
    "imAiRangeMax=0.5\n"
    "imDatPrb_type=24\n"
    "imMaxInt=8192\n"
    "imSampRate=30000\n"
    "nSavedChans=5\n"
    "snsApLfSy=4,0,1\n"
    "snsSaveChanSubset=all\n"
    "~imroTbl=(24,4)(0 0 0 1 0)(1 0 0 1 1)(2 1 0 1 2)(3 3 0 1 3)\n"
    "~snsShankMap=(4,2,640)(0:0:0:1)(0:1:0:1)(1:0:1:1)(3:1:1:1)\n";

inline const char* const ni_meta =
    "niAiRangeMax=2.5\n"
    "niMAGain=1\n"
    "niMNGain=200\n"
    "niSampRate=25000\n"
    "nSavedChans=6\n"
    "snsMnMaXaDw=3,1,1,1\n"
    "~snsShankMap=(1,2,2)(0:0:0:1)(0:1:0:1)(0:0:1:1)\n";

}  // namespace kokkosort::test
