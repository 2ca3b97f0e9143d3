// SPDX-License-Identifier: Apache-2.0
// What copies of foreign archives use in place of the C library's variables; see cmake/archives.cmake.
#include <unistd.h>

#include <cstdio>

// A file scope variable of the C library cannot be reached from code compiled for executables once that code is in a
// shared library; a variable of the same library can.
extern "C" {
extern FILE* orrery_stdin;
extern FILE* orrery_stdout;
extern FILE* orrery_stderr;
extern char** orrery_environ;
FILE* orrery_stdin = nullptr;
FILE* orrery_stdout = nullptr;
FILE* orrery_stderr = nullptr;
char** orrery_environ = nullptr;
}

namespace {

// Before any constructor that could use the archives.
[[gnu::constructor(101)]] void set_streams() {
  orrery_stdin = stdin;
  orrery_stdout = stdout;
  orrery_stderr = stderr;
  orrery_environ = environ;
}

}  // namespace
