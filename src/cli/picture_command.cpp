// SPDX-License-Identifier: Apache-2.0
// `orrery picture`: diagrams and figures as SVG or PNG.
#include <filesystem>

#include "api/animation.h"
#include "api/pictures.h"
#include "api/trust.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "io/png.h"

namespace orrery::cli {
namespace {

bool write_picture(const std::string& file, const std::string& svg, Diagnostics& diagnostics) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (file != "-" && !ending.empty() && ending != ".svg" && ending != ".png" && !file.starts_with("/dev/")) {
    diagnostics.error("output-unwritable", {file, 0, 0, {}, {}}, "pictures are written as SVG or PNG",
                      "end the name in .svg or .png");
    return false;
  }
  return file.ends_with(".png") ? io::write_png(file, svg, diagnostics) : io::write_file(file, svg, diagnostics);
}

// "/Plant/Motor" of plant.orr -> "plant.Plant.Motor.svg"; characters that file systems dislike become '_'.
std::string file_name(const std::string& model, const std::string& path, const std::string& extension) {
  std::string name = std::filesystem::path(model).stem().string();
  if (path != "/") name += path;
  for (char& c : name) {
    if (c == '/')
      c = '.';
    else if (std::string_view("\\?*:|\"<>").find(c) != std::string_view::npos)
      c = '_';
  }
  return name + extension;
}

bool write_all(const Arguments& arguments, const api::PictureRequest& request, Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(arguments.picture.folder, error);
  for (const api::DiagramPicture& picture : api::pictures_of(request, diagnostics)) {
    const std::string file = (std::filesystem::path(arguments.picture.folder) /
                              file_name(request.file, picture.path, arguments.picture.png ? ".png" : ".svg"))
                                 .string();
    if (!write_picture(file, picture.svg, diagnostics)) return false;
    print(file + "\n");
  }
  return !diagnostics.has_errors();
}

}  // namespace

int picture_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  api::PictureRequest request;
  request.file = arguments.request.file;
  request.diagram = arguments.picture.diagram;
  request.theme = arguments.picture.dark ? picture::Theme::dark : picture::Theme::light;
  request.values = arguments.picture.values;
  bool good = false;
  if (arguments.picture.animation) {
    std::string note;
    const Capabilities allowed = arguments.request.allow | api::trusted(request.file, note, diagnostics);
    const auto svg = api::animation_picture({request.file, *arguments.picture.animation, arguments.picture.block,
                                             request.theme, allowed, arguments.request.script_seconds},
                                            diagnostics);
    good = svg && write_picture(arguments.picture.out, *svg, diagnostics);
    print_diagnostics(diagnostics, arguments.json_diagnostics);
    return good ? exit_ok : exit_failed;
  }
  if (!arguments.picture.folder.empty()) {
    good = write_all(arguments, request, diagnostics);
  } else if (const auto svg = api::picture_of(request, diagnostics)) {
    good = write_picture(arguments.picture.out, *svg, diagnostics);
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
