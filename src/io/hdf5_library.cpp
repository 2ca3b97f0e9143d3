// SPDX-License-Identifier: Apache-2.0
// Finding HDF5 and its functions.
#include "io/hdf5_library.h"

#include <dlfcn.h>

#include <optional>
#include <type_traits>

namespace orrery::io {
namespace {

std::optional<Hdf5> load() {
  void* library = nullptr;
  for (const char* name : {"libhdf5_serial.so.103", "libhdf5_serial.so", "libhdf5.so.103", "libhdf5.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return std::nullopt;
  bool complete = true;
  const auto find = [&](auto& to, const char* name) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
    complete = complete && to != nullptr;
  };
  const auto read = [&](hid_t& to, const char* name) {
    const auto* number = static_cast<const hid_t*>(dlsym(library, name));
    complete = complete && number != nullptr;
    if (number != nullptr) to = *number;
  };
  decltype(&::H5open) open = nullptr;
  find(open, "H5open");
  // Files are closed when they are complete; those that could not be written are better left alone.
  if (const auto leave_open = reinterpret_cast<decltype(&::H5dont_atexit)>(dlsym(library, "H5dont_atexit")))
    leave_open();
  if (!complete || open() < 0) return std::nullopt;  // it fills in the numbers of the types
  Hdf5 h{};
  find(h.Aclose, "H5Aclose");
  find(h.Acreate2, "H5Acreate2");
  find(h.Adelete, "H5Adelete");
  find(h.Awrite, "H5Awrite");
  find(h.Dclose, "H5Dclose");
  find(h.Dcreate2, "H5Dcreate2");
  find(h.Dget_space, "H5Dget_space");
  find(h.Dget_type, "H5Dget_type");
  find(h.Dopen2, "H5Dopen2");
  find(h.Dread, "H5Dread");
  find(h.Dset_extent, "H5Dset_extent");
  find(h.Dwrite, "H5Dwrite");
  find(h.Eset_auto2, "H5Eset_auto2");
  find(h.Fclose, "H5Fclose");
  find(h.Fcreate, "H5Fcreate");
  find(h.Fflush, "H5Fflush");
  find(h.Fget_file_image, "H5Fget_file_image");
  find(h.Fopen, "H5Fopen");
  find(h.Gclose, "H5Gclose");
  find(h.Gcreate2, "H5Gcreate2");
  find(h.Gopen2, "H5Gopen2");
  find(h.Pclose, "H5Pclose");
  find(h.Pcreate, "H5Pcreate");
  find(h.Pget_mdc_config, "H5Pget_mdc_config");
  find(h.Pset_chunk, "H5Pset_chunk");
  find(h.Pset_fapl_core, "H5Pset_fapl_core");
  find(h.Pset_fill_time, "H5Pset_fill_time");
  find(h.Pset_mdc_config, "H5Pset_mdc_config");
  find(h.Pset_obj_track_times, "H5Pset_obj_track_times");
  find(h.Rcreate, "H5Rcreate");
  find(h.Sclose, "H5Sclose");
  find(h.Screate, "H5Screate");
  find(h.Screate_simple, "H5Screate_simple");
  find(h.Sget_simple_extent_dims, "H5Sget_simple_extent_dims");
  find(h.Sget_simple_extent_ndims, "H5Sget_simple_extent_ndims");
  find(h.Sselect_hyperslab, "H5Sselect_hyperslab");
  find(h.Tclose, "H5Tclose");
  find(h.Tcopy, "H5Tcopy");
  find(h.Tcreate, "H5Tcreate");
  find(h.Tget_class, "H5Tget_class");
  find(h.Tget_member_index, "H5Tget_member_index");
  find(h.Tget_member_type, "H5Tget_member_type");
  find(h.Tget_size, "H5Tget_size");
  find(h.Tinsert, "H5Tinsert");
  find(h.Tset_cset, "H5Tset_cset");
  find(h.Tset_size, "H5Tset_size");
  find(h.Tset_strpad, "H5Tset_strpad");
  read(h.text, "H5T_C_S1_g");
  read(h.float64, "H5T_NATIVE_DOUBLE_g");
  read(h.int32, "H5T_NATIVE_INT32_g");
  read(h.int8, "H5T_NATIVE_INT8_g");
  read(h.uint8, "H5T_NATIVE_UINT8_g");
  read(h.uint32, "H5T_NATIVE_UINT32_g");
  read(h.reference, "H5T_STD_REF_OBJ_g");
  read(h.dataset_create, "H5P_CLS_DATASET_CREATE_ID_g");
  read(h.file_access, "H5P_CLS_FILE_ACCESS_ID_g");
  if (!complete) return std::nullopt;
  find(h.Pset_file_locking, "H5Pset_file_locking");
  h.Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what fails is told by us
  return h;
}

}  // namespace

const Hdf5* hdf5() {
  static const std::optional<Hdf5> loaded = load();
  return loaded ? &*loaded : nullptr;
}

}  // namespace orrery::io
