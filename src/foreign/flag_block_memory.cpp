// SPDX-License-Identifier: Apache-2.0
// The structure of a flag block and all that it points to, and what the block may call.
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "foreign/flag_block_instance.h"
#include "foreign/flag_numbers.h"

namespace orrery::foreign {

namespace {

FlagOwner& owner_of(vss_block* block) { return *static_cast<FlagOwner*>(block->sim->owner); }
FlagAnswer& answer_of(vss_block* block) { return *owner_of(block).answer; }

void stop_run(vss_block* block, int) { answer_of(block).stop = true; }
void restart_cold(vss_block* block) { answer_of(block).cold_restart = true; }
void discard_point(vss_block* block) { answer_of(block).discard = true; }

void say(vss_block* block, int severity, const char* format, va_list list) {
  FlagAnswer& answer = answer_of(block);
  char line[sizeof answer.message];
  std::vsnprintf(line, sizeof line, format, list);
  if (severity == 2) {
    answer.failed = true;
    std::memcpy(answer.message, line, sizeof line);
    return;
  }
  const std::size_t length = std::strlen(answer.said);
  std::snprintf(answer.said + length, sizeof answer.said - length, "%c%s\n", severity == 1 ? 'w' : 'n', line);
  ++answer.warnings;
}

void* allocate_for(vss_block* block, std::size_t size) {
  void* piece = std::calloc(1, size == 0 ? 1 : size);
  if (piece != nullptr) owner_of(block).memory.push_back(piece);
  return piece;
}

FILE* open_for(vss_block* block, const char* name, const char* mode) {
  FILE* file = std::fopen(name, mode);
  if (file != nullptr) owner_of(block).files.push_back(file);
  return file;
}

}  // namespace

std::vector<program::ForeignSetting> flag_block_settings() {
  using enum program::ForeignSetting::Type;
  return {{"input", text, true}, {"output", text, true}, {"oz", text, true}, {"opar", text, true},
          {"rpar", text},        {"ipar", text},         {"x0", text},       {"xd0", text},
          {"z0", text},          {"xproperties", text},  {"counts", text},   {"implicit", flag},
          {"jacobian", flag},    {"projects", flag}};
}

FlagMemory::~FlagMemory() {
  std::free(memory_);
  if (exchange_ != nullptr) munmap(exchange_, size_);
}

bool FlagMemory::reserve() {
  memory_ = static_cast<char*>(std::calloc(1, size_));
  if (!shared_) return memory_ != nullptr;
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  exchange_ = mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
  return memory_ != nullptr && exchange_ != nullptr;
}

void FlagMemory::send() const { std::memcpy(exchange_, memory_, size_); }

void FlagMemory::receive_all() { std::memcpy(memory_, exchange_, size_); }

void FlagMemory::receive_numbers() {
  std::size_t from = 0;
  const auto copy_to = [&](std::size_t to) { std::memcpy(memory_ + from, exchange_ + from, to - from); };
  for (const auto& [begin, end] : structures_) {
    copy_to(begin);
    from = end;
  }
  copy_to(used_);
}

void* FlagMemory::take(std::size_t bytes) {
  used_before_ = used_;
  void* at = memory_ + used_;
  used_ += (bytes + 15) / 16 * 16;
  return at;
}

std::size_t FlagBlockInstance::bytes_of(const FlagMatrix& m) const {
  if (m.is_text) return m.text.size() + 1;
  const auto size = static_cast<std::size_t>(m.type.size());
  return m.type.scalar == Scalar::c128 ? 32 + 2 * size * sizeof(double) : 16 + size * 8;
}

void FlagBlockInstance::fill_matrix(vss_matrix& to, const FlagMatrix& from, bool values) {
  if (from.is_text) {
    to.size[0] = 1;
    to.size[1] = static_cast<int>(from.text.size());
    to.type = SCSSTRING_N;
    to.real = memory_->take(from.text.size() + 1);
    std::memcpy(to.real, from.text.c_str(), from.text.size() + 1);
    return;
  }
  to.size[0] = from.type.rows;
  to.size[1] = from.type.cols;
  to.type = vss_type(from.type.scalar);
  const std::size_t count = elements(from);
  to.real = memory_->take(count * static_cast<std::size_t>(byte_size(stored(from))));
  if (from.type.scalar == Scalar::c128) to.imag = memory_->take(count * sizeof(double));
  for (std::size_t k = 0; values && k < from.real.size(); ++k) put_number(stored(from), to.real, k, from.real[k]);
  for (std::size_t k = 0; values && k < from.imag.size(); ++k) static_cast<double*>(to.imag)[k] = from.imag[k];
}

bool FlagBlockInstance::allocate() {
  const std::size_t n = shape_.states(), columns = n * n + 1;
  memory_->want(sizeof(vss_block) + 16);
  memory_->want(sizeof(vss_simulator) + 16);
  memory_->want(sizeof(FlagAnswer) + 16);
  for (const auto* list : {&shape_.inputs, &shape_.outputs, &shape_.oz, &shape_.opar}) {
    memory_->want((list->size() + 1) * sizeof(vss_matrix));
    for (const FlagMatrix& m : *list) memory_->want(bytes_of(m) + 64);
  }
  const std::size_t numbers =
      shape_.rpar.size() + shape_.ipar.size() + 8 * n + columns + shape_.z0.size() +
      static_cast<std::size_t>(shape_.events + 2 * shape_.surfaces + shape_.modes + shape_.constraints) + 64;
  memory_->want(numbers * 2 * sizeof(double) + 4096);
  if (!memory_->reserve()) return false;
  block_ = memory_->take_structure<vss_block>(1);
  vss_simulator* sim = memory_->take_structure<vss_simulator>(1);
  answer_ = memory_->take_array<FlagAnswer>(1);
  vss_block& b = *block_;
  b.version = VSS_BLOCK_VERSION;
  b.sim = sim;
  const auto matrices = [&](const std::vector<FlagMatrix>& list, int& count, vss_matrix*& to, bool values) {
    count = static_cast<int>(list.size());
    to = memory_->take_structure<vss_matrix>(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) fill_matrix(to[k], list[k], values);
  };
  matrices(shape_.inputs, b.ninput, b.input, false);
  matrices(shape_.outputs, b.noutput, b.output, false);
  matrices(shape_.oz, b.nodstate, b.odstate, true);
  matrices(shape_.opar, b.nopar, b.opar, true);
  const auto doubles = [&](const std::vector<double>& list, int& count, double*& to) {
    count = static_cast<int>(list.size());
    to = memory_->take_array<double>(list.size());
    std::copy(list.begin(), list.end(), to);
  };
  doubles(shape_.rpar, b.nrpar, b.rpar);
  b.nipar = static_cast<int>(shape_.ipar.size());
  b.ipar = memory_->take_array<int>(shape_.ipar.size());
  for (std::size_t k = 0; k < shape_.ipar.size(); ++k) b.ipar[k] = static_cast<int>(shape_.ipar[k]);
  doubles(shape_.x0, b.nstate, b.state);
  int ignored = 0;
  doubles(shape_.xd0, ignored, b.derivative);
  b.residual = memory_->take_array<double>(n);
  b.xprop = memory_->take_array<int>(n);
  for (std::size_t k = 0; k < n; ++k) b.xprop[k] = shape_.xproperties[k];
  b.implicit = shape_.implicit ? 1 : 0;
  doubles(shape_.z0, b.ndstate, b.dstate);
  b.nevinput = shape_.activations;
  b.nevoutput = shape_.events;
  b.evoutput = memory_->take_array<double>(static_cast<std::size_t>(shape_.events));
  b.nzcross = shape_.surfaces;
  b.zcross = memory_->take_array<double>(static_cast<std::size_t>(shape_.surfaces));
  b.jroot = memory_->take_array<int>(static_cast<std::size_t>(shape_.surfaces));
  b.nmode = shape_.modes;
  b.mode = memory_->take_array<int>(static_cast<std::size_t>(shape_.modes));
  b.nconstraint = shape_.constraints;
  b.constraint_kind = shape_.projects ? PROJECTION : shape_.constraints > 0 ? CONSTRAINT : VSS_NO_CONSTRAINT;
  b.constraint = memory_->take_array<double>(std::max(n, static_cast<std::size_t>(shape_.constraints)));
  b.jacobian = memory_->take_array<double>(columns);
  b.inherits = 1;
  b.label = label_.c_str();
  b.name = place_.block.c_str();
  sim->time = sim->initial_time = sim->mesh_point = run_.start;
  sim->final_time = run_.stop;
  sim->rtol = run_.relative_tolerance;
  sim->atol = run_.relative_tolerance;
  sim->alpha = 1;
  sim->beta = 1;
  sim->zero_crossings_enabled = sim->modes_enabled = 1;
  sim->neq = b.nstate;
  sim->nzero = b.nzcross;
  sim->initial_x = b.state;
  sim->initial_xd = b.derivative;
  sim->xprop = b.xprop;
  sim->atol_vector = &sim->atol;
  sim->hmax = sim->hmax_used = (run_.stop - run_.start) / 100;
  sim->model_name = name_.c_str();
  sim->model_file = file_.c_str();
  sim->temporary_folder = "/tmp";
  sim->stop = stop_run;
  sim->cold_restart = restart_cold;
  sim->discard = discard_point;
  sim->message = say;
  sim->allocate = allocate_for;
  sim->open_file = open_for;
  owner_->answer = answer_;
  sim->owner = owner_.get();
  for_outputs_ = places_of_arguments(true);
  for_others_ = places_of_arguments(false);
  for (std::size_t m = 0; m < shape_.outputs.size(); ++m) {
    results_.push_back({b.output[m].real, stored_bytes(shape_.outputs[m])});
    if (b.output[m].type == SCSCOMPLEX_N) results_.push_back({b.output[m].imag, stored_bytes(shape_.outputs[m])});
  }
  set_health(program::ForeignHealth::well);
  return true;
}

}  // namespace orrery::foreign
