// SPDX-License-Identifier: Apache-2.0
// Texts that are the same for every model, and those of one.
#include "export/c_files.h"

#include "export/export_texts.h"
#include "export/float32.h"

namespace orrery::code_export {

std::string with_name(std::string text, const std::string& name) {
  const std::string mark = "@NAME@";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + name.size()))
    text.replace(at, mark.size(), name);
  return text;
}

std::vector<ExportedFile> runtime_files() {
  return {{"orrery_rt.h", text_of_orrery_rt_h}, {"orrery_rt.c", text_of_orrery_rt_c}};
}

std::vector<ExportedFile> c_project(const CModel& model, bool program, bool float32) {
  std::vector<ExportedFile> files = {{model.name + ".h", model.header}, {model.name + ".c", model.source}};
  for (ExportedFile& file : runtime_files()) files.push_back(std::move(file));
  if (program) files.push_back({"main.c", with_name(text_of_main_c, model.name)});
  for (ExportedFile& file : files) {
    if (float32) file.text = as_float32(file.text);
  }
  if (!program) return files;
  files.push_back({"Makefile", with_name(text_of_Makefile, model.name)});
  files.push_back({"CMakeLists.txt", with_name(text_of_CMakeLists_txt, model.name)});
  return files;
}

}  // namespace orrery::code_export
