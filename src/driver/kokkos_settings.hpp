#pragma once

namespace kokkosort {

/// Kokkos' teams of host threads hold no more.
constexpr int most_threads = 512;

/// Host threads to use: what the deck asks for or, if that is 0, KOKKOS_NUM_THREADS, OMP_NUM_THREADS or as
/// many as there are, whichever comes first, of the last two no more than most_threads. 0 for a backend
/// without threads.
/// @throws InputError if KOKKOS_NUM_THREADS is no number of threads
int choose_threads(int asked);

/// Number of the device: the command line's or, if that is negative, KOKKOS_DEVICE_ID. -1 if neither is
/// given.
/// @throws InputError if KOKKOS_DEVICE_ID is not a number from 0
int choose_device_number(int asked);

/// Takes Kokkos' own settings out of the environment: the program's are explicit, and at a wrong one Kokkos
/// aborts. Tools (KOKKOS_TOOLS_LIBS) stay. @throws InputError if two different tools are named
void clear_kokkos_settings();

}  // namespace kokkosort
