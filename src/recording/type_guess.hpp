#pragma once
// Whether a recording's samples are of the type that they are said to be of.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// Some stretches of a recording, evenly spread, as stored: [samples, channels] each.
struct StoredStretches {
  SampleType type = SampleType::int16;
  std::size_t n_channels = 0;
  std::vector<std::vector<unsigned char>> bytes;  // [stretches]

  /// Samples of a stretch.
  std::size_t n_samples(std::size_t i) const { return bytes[i].size() / (n_channels * bytes_of(type)); }
};

/// Reads about 3 MB, or a sample each of wide recordings. Stretches begin at even samples.
/// @throws InputError if they cannot be read, or are not finite
StoredStretches read_stretches(Recording& recording);

/// A type that samples are likelier of than of their own.
struct LikelierType {
  std::string type;    // as input.dtype has it; two if they are as likely
  std::string reason;  // what speaks for it, in words that follow the name of the file
};

/// What samples of each type look like when they are read as another's has marks that real samples of that
/// other have not; only they count:
///
/// - float32 read as integers: nearly every pair of 16-bit words is a floating-point number from 1e-12 to
///   1e9, which as integers lie far from zero with nothing between; and the words that would be even channels
///   fill the whole range of 16 bits, or the floating-point numbers are all whole ones, or have both signs and
///   several magnitudes.
/// - integers read as float32: nearly none is a number from 1e-12 to 1e9.
/// - int32 read as 16-bit words: every other word is 0 or -1 by the sign of the one before; or, of larger
///   values, every other word fills its range evenly while those between hardly move.
/// - 16-bit words read as int32: both halves of a value move alike and little. A real value's low half fills
///   its range as soon as the high one moves.
/// - uint16 read as int16, or the other way round: channels jump from one end of the range to the other and
///   are never in its middle, and as the other type do not jump. A channel that clips at both ends has
///   values in the middle, or no others than the ends, and does not count.
///
/// Channels that are constant, quiet, clipped or offset have none of these, and samples that are too few or
/// all zero tell nothing.
///
/// @param stretches  of a flat file; the stored bytes, whatever they are read as
/// @param columns    that hold a probe's channels
std::optional<LikelierType> find_likelier_type(const StoredStretches& stretches, SampleType type,
                                               const std::vector<std::int32_t>& columns);

/// Whether no channel's samples differ.
/// @param columns  that hold a probe's channels
bool are_constant(const StoredStretches& stretches, const std::vector<std::int32_t>& columns);

}  // namespace kokkosort
