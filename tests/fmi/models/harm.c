// SPDX-License-Identifier: Apache-2.0
// Does harm, of the kind HARM, in the function of HARM_IN, after t = 0.5 where there is a time.
#define _GNU_SOURCE
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#define OWN_INITIALISE
#include "defaults.h"

enum { x, der_x };
enum {
  null_pointer,
  loop,
  leave,
  stop_hard,
  eat_memory,
  overflow_stack,
  divide,
  throw_exception,
  leave_daemon,
  kill_parent,
  spoil_shared_memory,
  write_elsewhere
};
const int model_states = 1;
const double model_inner_step = 1e-2;

#if HARM == 7
void throw_something(void);
#endif

volatile double* volatile nowhere = NULL;
static volatile int zero = 0;

static int deeper(volatile char* from) {
  volatile char room[4096];
  room[0] = from[0];
  return deeper(room) + room[0];
}

#if HARM >= 8
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

// A process in a session of its own, without a parent, whose number is in the file that HARM_FILE names.
static void start_daemon(void) {
  const pid_t child = fork();
  if (child != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  FILE* file = fopen(getenv("HARM_FILE") ? getenv("HARM_FILE") : "/dev/null", "w");
  if (file != NULL) {
    fprintf(file, "%ld", (long)getpid());
    fclose(file);
  }
  sleep(600);
  _exit(0);
}

#ifndef HARM_BYTE
#define HARM_BYTE 0
#endif

// All memory that another process sees too gets bytes that mean nothing.
static void fill_shared_memory(int byte) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0, end = 0;
    char access[8] = "";
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, access) != 3 || access[1] != 'w' || access[3] != 's') continue;
    const size_t most = 1 << 20;
    memset((void*)(uintptr_t)begin, byte, end - begin < most ? end - begin : most);
  }
  if (maps != NULL) fclose(maps);
}

// Beside the simulation, so that messages are hit on their way.
static void* keep_filling(void* nothing) {
  for (int k = 0; k < 2000; ++k) {
    fill_shared_memory(HARM_BYTE);
    usleep(100);
  }
  return nothing;
}

static void write_file(void) {
  const char* name = getenv("HARM_FILE");
  FILE* file = fopen(name != NULL ? name : "/dev/null", "w");
  if (file != NULL) fclose(file);
}
#endif

static void do_harm(void) {
  static volatile int once = 0;
  if (HARM == null_pointer) *nowhere = 1;
  while (HARM == loop) once = !once;
  if (HARM == leave) exit(0);
  if (HARM == stop_hard) abort();
  while (HARM == eat_memory) memset(malloc(1 << 24), 1, 1 << 24);
  if (HARM == overflow_stack) {
    char start[1] = {0};
    once = deeper(start);
  }
  if (HARM == divide) once = 7 / zero;
#if HARM == 7
  throw_something();
#endif
#if HARM == 8
  if (!once) start_daemon();
  once = 1;
#elif HARM == 9
  kill(getppid(), SIGKILL);
  kill(getppid(), SIGTERM);
  kill(-1, SIGURG);
#elif HARM == 10
  pthread_t thread;
  if (!once) pthread_create(&thread, NULL, keep_filling, NULL);
  once = 1;
#elif HARM == 11
  write_file();
#endif
}

#if HARM_IN == 0
__attribute__((constructor)) static void at_load(void) { do_harm(); }
#endif
void model_start(Model* m) {
  m->real[x] = 1;
  if (HARM_IN == 1) do_harm();
}
void model_initialise(Model* m) {
  (void)m;
  if (HARM_IN == 2) do_harm();
}
void model_evaluate(Model* m) {
  if (HARM_IN == 3 && m->time > 0.5) do_harm();
  m->real[der_x] = -1;
}
