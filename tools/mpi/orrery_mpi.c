// SPDX-License-Identifier: Apache-2.0
// The few calls of MPI that a sweep needs, as a library of its own which is loaded when `--mpi` asks for it: so nothing
// else depends on MPI, and another MPI needs only this file compiled again.
#include <mpi.h>
#include <stdint.h>

enum { words = 4 };

int orrery_mpi_begin(int* rank, int* ranks) {
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 0;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS && MPI_Comm_size(MPI_COMM_WORLD, ranks) == MPI_SUCCESS;
}

// Small messages: they are on their way when this returns.
int orrery_mpi_send(int to, const int64_t* message) {
  return MPI_Send(message, words, MPI_INT64_T, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

// The rank that a message has come from, or -1: there is none.
int orrery_mpi_receive(int64_t* message) {
  int there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there) return -1;
  MPI_Recv(message, words, MPI_INT64_T, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

void orrery_mpi_end(void) { MPI_Finalize(); }
void orrery_mpi_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
