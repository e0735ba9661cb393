#pragma once
#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/recording/preparation.hpp"
namespace kokkosort {
template <class Exec>
void write_whitened(const Exec& exec, PreparedRecording recording, PendingFile& file, TransferLedger& ledger);
}
