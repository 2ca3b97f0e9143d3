// SPDX-License-Identifier: Apache-2.0
// HDF5, loaded when a file is first written: it brings much with it, and starting stays quick.
#pragma once

#include <hdf5.h>

namespace orrery::io {

// Functions without the "H5" of their names, and the types whose numbers are known only when it is loaded.
struct Hdf5 {
  decltype(&::H5Aclose) Aclose;
  decltype(&::H5Acreate2) Acreate2;
  decltype(&::H5Adelete) Adelete;
  decltype(&::H5Awrite) Awrite;
  decltype(&::H5Dclose) Dclose;
  decltype(&::H5Dcreate2) Dcreate2;
  decltype(&::H5Dget_space) Dget_space;
  decltype(&::H5Dget_type) Dget_type;
  decltype(&::H5Dopen2) Dopen2;
  decltype(&::H5Dread) Dread;
  decltype(&::H5Dset_extent) Dset_extent;
  decltype(&::H5Dwrite) Dwrite;
  decltype(&::H5Eset_auto2) Eset_auto2;
  decltype(&::H5Fclose) Fclose;
  decltype(&::H5Fcreate) Fcreate;
  decltype(&::H5Fflush) Fflush;
  decltype(&::H5Fget_file_image) Fget_file_image;
  decltype(&::H5Fopen) Fopen;
  decltype(&::H5Gclose) Gclose;
  decltype(&::H5Gcreate2) Gcreate2;
  decltype(&::H5Gopen2) Gopen2;
  decltype(&::H5Pclose) Pclose;
  decltype(&::H5Pcreate) Pcreate;
  decltype(&::H5Pget_mdc_config) Pget_mdc_config;
  decltype(&::H5Pset_chunk) Pset_chunk;
  decltype(&::H5Pset_fapl_core) Pset_fapl_core;
  decltype(&::H5Pset_file_locking) Pset_file_locking;  // null: too old for it
  decltype(&::H5Pset_fill_time) Pset_fill_time;
  decltype(&::H5Pset_mdc_config) Pset_mdc_config;
  decltype(&::H5Pset_obj_track_times) Pset_obj_track_times;
  decltype(&::H5Rcreate) Rcreate;
  decltype(&::H5Sclose) Sclose;
  decltype(&::H5Screate) Screate;
  decltype(&::H5Screate_simple) Screate_simple;
  decltype(&::H5Sget_simple_extent_dims) Sget_simple_extent_dims;
  decltype(&::H5Sget_simple_extent_ndims) Sget_simple_extent_ndims;
  decltype(&::H5Sselect_hyperslab) Sselect_hyperslab;
  decltype(&::H5Tclose) Tclose;
  decltype(&::H5Tcopy) Tcopy;
  decltype(&::H5Tcreate) Tcreate;
  decltype(&::H5Tget_class) Tget_class;
  decltype(&::H5Tget_member_index) Tget_member_index;
  decltype(&::H5Tget_member_type) Tget_member_type;
  decltype(&::H5Tget_size) Tget_size;
  decltype(&::H5Tinsert) Tinsert;
  decltype(&::H5Tset_cset) Tset_cset;
  decltype(&::H5Tset_size) Tset_size;
  decltype(&::H5Tset_strpad) Tset_strpad;
  hid_t text;
  hid_t float64;
  hid_t int32;
  hid_t int8;
  hid_t uint8;
  hid_t uint32;
  hid_t reference;
  hid_t dataset_create;
  hid_t file_access;
};

// Null: it is not installed.
const Hdf5* hdf5();

}  // namespace orrery::io
