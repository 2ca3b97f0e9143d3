// SPDX-License-Identifier: Apache-2.0
// Machine code for hot loops and functions: what the interpreter asks of whoever compiles C, and the memory that the
// code works on. The language knows no compiler; a program that has one hands it over (InterpreterOptions::native).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace orrery::oml {

// One compiled text, which may become faster while it is used.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  // The function of the text called `hot`. `seconds`: how long it has run since the last call of this.
  virtual void* function(double seconds) = 0;
  virtual bool is_final() const = 0;  // it will not become faster any more
};

class NativeCompiler {
 public:
  virtual ~NativeCompiler() = default;
  // Null: the text cannot be compiled here.
  virtual std::unique_ptr<NativeCode> compile(const std::string& text) = 0;
};

// How a piece of native code ended.
enum class HotEnd : long {
  done,         // the loop has come to its end
  surprise,     // at statement `at` something is not as it was when the code was made; nothing of it has happened
  interrupted,  // the limit of steps, or somebody wants to stop
  paused,       // before a turn of the outermost loop
  returned,     // by a return statement
};

// Written as C in hot_text.cpp, field by field.
struct HotArray {
  double* reals;
  unsigned char* bytes;
  long count, rows, cols;
};
struct HotLoopState {
  long turn, count;
  double base, step;
};
struct HotContext {
  double* numbers;      // of scalar variables
  unsigned char* tags;  // 0 without a value, 1 number, 2 truth value
  HotArray* arrays;
  HotLoopState* loops;
  const volatile char* stop;
  unsigned long steps, limit, pause;
  long deepest;
  long at;
  double nan, inf;
};
using HotFunction = long (*)(HotContext*);

}  // namespace orrery::oml
