// The communicator over MPI (library flce_mpi; not part of the Python package). Sums run inside MPI; a rank that does
// not answer within the time limit, or an MPI error, becomes CommunicatorError on the ranks that notice.
#pragma once

#include <memory>

#include "flce/communicator.h"

namespace flce {

/// Over MPI_COMM_WORLD, which must be initialised (MPI_THREAD_SERIALIZED or more, if several threads call).
/// `timeout_seconds` limits every single collective; 0 reads FLCE_TIMEOUT, default 300.
std::unique_ptr<Communicator> make_world_communicator(double timeout_seconds = 0);

}  // namespace flce
