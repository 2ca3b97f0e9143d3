// SPDX-License-Identifier: Apache-2.0
// Where each slot lies in a run's memory block, and what the block holds before initialisation.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "program/function.h"
#include "program/procedure.h"

namespace orrery::program {
namespace {

template <class T>
void put(std::byte* at, double value) {
  auto converted = static_cast<T>(value);
  std::memcpy(at, &converted, sizeof converted);
}

}  // namespace

void write_number(Scalar scalar, std::byte* at, double value) {
  switch (scalar) {
    case Scalar::f64:
    case Scalar::c128: return put<double>(at, value);
    case Scalar::i8: return put<std::int8_t>(at, value);
    case Scalar::i16: return put<std::int16_t>(at, value);
    case Scalar::i32: return put<std::int32_t>(at, value);
    case Scalar::u8:
    case Scalar::boolean: return put<std::uint8_t>(at, value);
    case Scalar::u16: return put<std::uint16_t>(at, value);
    case Scalar::u32: return put<std::uint32_t>(at, value);
  }
}

Layout lay_out(const Program& program) {
  Layout layout;
  layout.offset.assign(program.slots.size(), 0);
  std::vector<bool> placed(program.slots.size());
  std::uint64_t next = 0;
  auto place = [&](SlotId id) {
    const Type& type = program.slots[id].type;
    layout.offset[id] = static_cast<std::uint32_t>(next);
    placed[id] = true;
    next += static_cast<std::uint64_t>(type.size()) * static_cast<std::uint64_t>(byte_size(type.scalar));
    if (next > UINT32_MAX - 16) throw std::bad_alloc();  // models may be that large, addresses here are not
  };
  for (SlotId id : program.states) {
    ORRERY_CHECK(program.slots[id].type.scalar == Scalar::f64 && !placed[id]);
    place(id);
  }
  // Widest first, so that every slot is aligned without gaps; complex numbers are pairs of doubles.
  for (int bytes : {16, 8, 4, 2, 1}) {
    for (SlotId id = 0; id < program.slots.size(); ++id) {
      if (!placed[id] && byte_size(program.slots[id].type.scalar) == bytes) place(id);
    }
  }
  layout.bytes = static_cast<std::uint32_t>((next + 15) / 16 * 16);
  const auto pointer = [&layout] {
    if (layout.bytes == 0) layout.bytes = 16;  // 0 says that there is none
    layout.bytes += 16;
    return layout.bytes - 16;
  };
  if (!program.graph.foreign_functions().empty()) layout.foreign = pointer();
  if (!program.histories.empty()) layout.histories = pointer();
  if (may_fail(program.graph)) {
    layout.trouble = layout.bytes = std::max(layout.bytes, 16u);
    layout.bytes += sizeof(TroubleRecord);
  }
  return layout;
}

std::vector<std::byte> initial_memory(const Program& program, const Layout& layout) {
  std::vector<std::byte> memory(layout.bytes);
  for (SlotId id = 0; id < program.slots.size(); ++id) {
    const Slot& slot = program.slots[id];
    if (slot.initial == no_expr) continue;
    ORRERY_CHECK(program.graph.is_constant(slot.initial) && program.graph.type(slot.initial) == slot.type);
    std::byte* at = memory.data() + layout.offset[id];
    int width = slot.type.scalar == Scalar::c128 ? 8 : byte_size(slot.type.scalar);
    for (double value : program.graph.constant_data(slot.initial)) {
      write_number(slot.type.scalar, at, value);
      at += width;
    }
  }
  return memory;
}

}  // namespace orrery::program
