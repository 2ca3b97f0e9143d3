// SPDX-License-Identifier: Apache-2.0
// The list of commands in words.
#include "edit/command_text.h"

#include <algorithm>

#include "edit/find.h"
#include "edit/words.h"
#include "model/closest_name.h"
#include "model/fields.h"

namespace orrery::edit {
namespace {

Flow flow_of(const std::string& word) {
  if (word == "right") return Flow::right;
  for (const Flow flow : {Flow::left, Flow::up, Flow::down}) {
    if (word == model::flow_names[static_cast<int>(flow)]) return flow;
  }
  throw WordError{"\"" + word + "\" is no direction: write right, flip, up or down"};
}

model::LayoutItem place_of(const std::vector<double>& list) {
  return {"", list[0], list[1], list.size() > 2 ? list[2] : 0, list.size() > 3 ? list[3] : 0, Flow::right, 0};
}

void do_add(Edit& edit, Words& words) {
  const std::string type = words.take("the type of the block");
  AddOptions options;
  std::string diagram;
  std::optional<Flow> flow;
  while (!words.empty()) {
    if (words.take_if("as"))
      options.name = words.take("a name");
    else if (words.peek() == "in")
      diagram = words.diagram_option();
    else if (words.take_if("at"))
      options.place = place_of(words.numbers(2, 4, "a place X,Y or X,Y,WIDTH,HEIGHT"));
    else if (words.peek() == "flip" || words.peek() == "up" || words.peek() == "down")
      flow = flow_of(words.take(""));
    else {
      const auto [name, text] = words.assignment();
      options.parameters.push_back({name, text, 0});
    }
  }
  if (options.place && flow) options.place->flow = *flow;
  std::vector<model::Parameter> parameters;
  std::swap(parameters, options.parameters);
  const std::string name = add(edit, diagram, type, options);
  for (const model::Parameter& parameter : parameters) {
    if (!edit.failed()) set_parameter(edit, {diagram, name}, parameter.name, parameter.value);
  }
  if (flow && !options.place && !edit.failed()) turn(edit, {diagram, name}, *flow);
  words.made.push_back(diagram + "/" + name);
}

void do_move(Edit& edit, Words& words) {
  const auto blocks = words.blocks();
  if (words.take_if("by")) return move(edit, blocks, words.point());
  if (!words.take_if("to")) throw WordError{"write where to: by DX,DY or to X,Y"};
  const Point to = words.point();
  if (blocks.size() != 1) throw WordError{"only one block can be moved to a place; write by DX,DY"};
  move(edit, blocks, {0, 0});
  if (edit.failed()) return;
  const model::Diagram& diagram = edit.diagram(blocks[0].diagram);
  for (const model::LayoutItem& item : diagram.layout) {
    if (item.block == blocks[0].name) return move(edit, blocks, {to.x - item.x, to.y - item.y});
  }
}

void do_resize(Edit& edit, Words& words) {
  const BlockPath block = words.block();
  const auto size = words.numbers(2, 2, "a size WIDTH,HEIGHT");
  if (size[0] < 4 || size[1] < 4) throw WordError{"a block is at least 4 wide and 4 high"};
  move(edit, {block}, {0, 0});
  if (edit.failed()) return;
  const auto& layout = edit.diagram(block.diagram).layout;
  const auto found =
      std::find_if(layout.begin(), layout.end(), [&](const auto& item) { return item.block == block.name; });
  model::LayoutItem item = *found;
  item.width = size[0];
  item.height = size[1];
  place(edit, block, item);
}

void do_set(Edit& edit, Words& words) {
  const BlockPath block = words.block();
  if (words.empty()) throw WordError{"here must be NAME=VALUE"};
  while (!words.empty() && !edit.failed()) {
    const auto [name, text] = words.assignment();
    set_parameter(edit, block, name, text);
  }
}

void do_unset(Edit& edit, Words& words) {
  const BlockPath block = words.block();
  do {
    set_parameter(edit, block, words.take("the name of a parameter"), std::nullopt);
  } while (!words.empty() && !edit.failed());
}

std::vector<std::string> rest(Words& words) {
  std::vector<std::string> lines;
  while (!words.empty()) lines.push_back(words.take(""));
  return lines;
}

void note_made(Words& words, const std::string& diagram, const std::vector<std::string>& names) {
  for (const std::string& name : names) words.made.push_back(diagram + "/" + name);
}

void do_mask(Edit& edit, Words& words) {
  const std::string diagram = words.diagram();
  if (words.left() == 1 && words.peek().starts_with('[')) return set_mask_text(edit, diagram, words.take(""));
  std::vector<model::MaskParameter> mask;
  for (const std::string& word : rest(words)) {
    const std::size_t equals = word.find('=');
    mask.push_back({word.substr(0, equals), "", equals == std::string::npos ? "" : word.substr(equals + 1)});
  }
  set_mask(edit, diagram, mask);
}

void do_connect(Edit& edit, Words& words) {
  Branch branch = words.branch();
  connect(edit, branch);
  while (!words.empty() && !edit.failed()) {
    const Branch more = words.port();
    if (more.diagram != branch.diagram) throw WordError{"both ends of a link are in one diagram"};
    branch.to = more.from;
    connect(edit, branch);
  }
}

void do_reconnect(Edit& edit, Words& words) {
  const Branch branch = words.branch();
  Branch instead = branch;
  const bool from = words.take_if("from");
  if (!from && !words.take_if("to")) throw WordError{"write from OUTPUT or to INPUT"};
  const Branch end = words.port();
  (from ? instead.from : instead.to) = end.from;
  reconnect(edit, branch, instead);
}

void do_bend(Edit& edit, Words& words) {
  const Branch branch = words.branch();
  std::vector<Point> corners;
  while (!words.empty()) corners.push_back(words.point());
  bend(edit, branch, corners);
}

void do_align(Edit& edit, Words& words) {
  static const std::pair<const char*, Edge> edges[] = {{"left", Edge::left},     {"right", Edge::right},
                                                       {"top", Edge::top},       {"bottom", Edge::bottom},
                                                       {"centre", Edge::centre}, {"middle", Edge::middle}};
  const std::string word = words.take("left, right, top, bottom, centre or middle");
  for (const auto& [name, edge] : edges) {
    if (word == name) return align(edit, words.blocks(), edge);
  }
  throw WordError{"\"" + word + "\" is none of left, right, top, bottom, centre and middle"};
}

void do_distribute(Edit& edit, Words& words) {
  const bool horizontally = words.take_if("horizontally");
  if (!horizontally && !words.take_if("vertically")) throw WordError{"write horizontally or vertically"};
  distribute(edit, words.blocks(), horizontally);
}

void do_duplicate(Edit& edit, Words& words) {
  const auto blocks = words.blocks();
  const auto names = duplicate(edit, blocks, words.take_if("by") ? words.point() : Point{20, 20});
  note_made(words, blocks.front().diagram, names);
}

void do_note(Edit& edit, Words& words) {
  const std::string diagram = words.diagram_option();
  if (!words.take_if("at")) throw WordError{"write where: at X,Y,WIDTH,HEIGHT"};
  const auto list = words.numbers(4, 4, "a place X,Y,WIDTH,HEIGHT");
  add_note(edit, diagram, {words.take("the text of the note"), list[0], list[1], list[2], list[3], 0});
}

void do_library(Edit& edit, Words& words) {
  model::LibraryNeed need;
  need.name = words.take("the name of a library");
  while (!words.empty()) {
    const auto [name, text] = words.assignment();
    if (name == "version")
      need.version = text;
    else if (name == "path")
      need.path = text;
    else if (name == "key")
      need.key = text;
    else
      throw WordError{"\"" + name + "\" is none of version, path and key"};
  }
  use_library(edit, need);
}

void do_renote(Edit& edit, Words& words) {
  const std::string diagram = words.diagram_option();
  const std::size_t number = words.count("the number of a note");
  model::Note note;
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  if (number <= target->notes.size()) note = target->notes[number - 1];
  if (words.take_if("at")) {
    const auto list = words.numbers(4, 4, "a place X,Y,WIDTH,HEIGHT");
    note = {note.text, list[0], list[1], list[2], list[3], 0};
  }
  if (!words.empty()) note.text = words.take("");
  replace_note(edit, diagram, number, note);
}

void do_paste(Edit& edit, Words& words) {
  const std::string diagram = words.diagram_option();
  const Point by = words.take_if("by") ? words.point() : Point{20, 20};
  note_made(words, diagram, paste(edit, diagram, words.take("a fragment"), by));
}

void do_options(Edit& edit, Words& words) {
  const std::string diagram = words.diagram();
  do {
    const auto [name, text] = words.assignment();
    set_option(edit, diagram, name, text);
  } while (!words.empty() && !edit.failed());
}

void do_activation(Edit& edit, Words& words) {
  const BlockPath block = words.block();
  const std::string word = words.take("inherit, always, initial or default");
  for (int k = 1; k < 4; ++k) {
    if (word == model::activation_names[k]) return set_activation(edit, block, static_cast<model::Activation>(k));
  }
  if (word != "default") throw WordError{"\"" + word + "\" is none of inherit, always, initial and default"};
  set_activation(edit, block, model::Activation::by_type);
}

void do_simulation(Edit& edit, Words& words) {
  do {
    const auto [name, text] = words.assignment();
    set_simulation(edit, name, text);
  } while (!words.empty() && !edit.failed());
}

struct TextCommand {
  CommandInfo info;
  void (*run)(Edit&, Words&);
};

const std::vector<TextCommand>& commands() {
  static const std::vector<TextCommand> list = {
      {{"add TYPE [as NAME] [in DIAGRAM] [at X,Y[,W,H]] [flip|up|down] [PARAMETER=TEXT ...]", "a new block"}, do_add},
      {{"remove BLOCK ...", "blocks with their links"}, [](Edit& e, Words& w) { remove(e, w.blocks()); }},
      {{"move BLOCK ... by DX,DY | move BLOCK to X,Y", "on the sheet"}, do_move},
      {{"resize BLOCK W,H", "its box"}, do_resize},
      {{"turn BLOCK right|flip|up|down", "where its outputs point to"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         turn(e, b, flow_of(w.take("a direction")));
       }},
      {{"rename BLOCK NAME", "links, layout and settings follow"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         rename(e, b, w.take("a name"));
       }},
      {{"set BLOCK PARAMETER=TEXT ...", "parameters, as OML text"}, do_set},
      {{"unset BLOCK PARAMETER ...", "back to the default"}, do_unset},
      {{"about BLOCK TEXT", "a remark for people"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         set_about(e, b, w.take("a text"));
       }},
      {{"icon BLOCK TEXT", "what the box of a super block shows"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         set_icon(e, b, w.take("a text"));
       }},
      {{"activation BLOCK inherit|always|initial|default", "when it is active without an activation link"},
       do_activation},
      {{"off BLOCK ...", "comment out"}, [](Edit& e, Words& w) { comment_out(e, w.blocks(), true); }},
      {{"on BLOCK ...", "the opposite"}, [](Edit& e, Words& w) { comment_out(e, w.blocks(), false); }},
      {{"reorder BLOCK to PLACE", "its place in the list, from 1: ties between simultaneous events follow it"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         w.take_if("to");
         reorder(e, b, w.count("a place, from 1") - 1);
       }},
      {{"duplicate BLOCK ... [by DX,DY]", "with the links among them"}, do_duplicate},
      {{"paste [in DIAGRAM] [by DX,DY] JSON", "a part of a model, as in its file"}, do_paste},
      {{"connect [event] FROM:1 TO:1 [TO:1 ...]", "a signal, or an activation"}, do_connect},
      {{"disconnect [event] FROM:1 TO:1", "one branch"}, [](Edit& e, Words& w) { disconnect(e, w.branch()); }},
      {{"reconnect [event] FROM:1 TO:1 from|to PORT:1", "one end of a branch"}, do_reconnect},
      {{"insert BLOCK into [event] FROM:1 TO:1", "a block into a link"},
       [](Edit& e, Words& w) {
         const BlockPath b = w.block();
         w.take_if("into");
         insert_into_link(e, b, w.branch());
       }},
      {{"bend [event] FROM:1 TO:1 [X,Y ...]", "corners of a branch; none: computed again"}, do_bend},
      {{"name [event] FROM:1 NAME", "of a signal"},
       [](Edit& e, Words& w) {
         const Branch l = w.port();
         name_link(e, l, w.take("a name"));
       }},
      {{"group NAME BLOCK ...", "blocks into a super block"},
       [](Edit& e, Words& w) {
         const std::string n = w.take("a name");
         const auto blocks = w.blocks();
         note_made(w, blocks.front().diagram, {group(e, blocks, n)});
       }},
      {{"ungroup BLOCK", "a super block into its blocks"}, [](Edit& e, Words& w) { ungroup(e, w.block()); }},
      {{"mask DIAGRAM [NAME[=DEFAULT] ... | JSON]", "the parameters of a super block; JSON: a list as in a file"},
       do_mask},
      {{"options DIAGRAM [atomic=true|false] [for_each=elements|columns|none] [count=TEXT]",
        "whether a super block is a unit with one activation, and once for each part of its inputs"},
       do_options},
      {{"automask DIAGRAM", "the names it uses and does not define become parameters"},
       [](Edit& e, Words& w) { auto_mask(e, w.diagram()); }},
      {{"program [in] DIAGRAM [LINE ...]", "OML that adds the blocks of a super block, all lines"},
       [](Edit& e, Words& w) {
         w.take_if("in");
         const std::string d = w.diagram();
         set_program(e, d, rest(w));
       }},
      {{"context [in DIAGRAM] [LINE ...]", "all lines of the context"},
       [](Edit& e, Words& w) {
         const std::string d = w.diagram_option();
         set_context(e, d, rest(w));
       }},
      {{"initialization [LINE ...]", "all lines of the initialization"},
       [](Edit& e, Words& w) { set_initialization(e, rest(w)); }},
      {{"simulation SETTING=TEXT ...", "how the model is simulated; an empty text is the default"}, do_simulation},
      {{"align left|right|top|bottom|centre|middle BLOCK ...", "with the first of them"}, do_align},
      {{"distribute horizontally|vertically BLOCK ...", "equal distances"}, do_distribute},
      {{"arrange [DIAGRAM]", "all blocks anew"},
       [](Edit& e, Words& w) { arrange_diagram(e, w.empty() ? std::string() : w.diagram()); }},
      {{"note [in DIAGRAM] at X,Y,W,H TEXT", "a remark on the sheet"}, do_note},
      {{"renote [in DIAGRAM] NUMBER [at X,Y,W,H] [TEXT]", "a note elsewhere, or with another text"}, do_renote},
      {{"unnote [in DIAGRAM] NUMBER", "the note with this number"},
       [](Edit& e, Words& w) {
         const std::string d = w.diagram_option();
         remove_note(e, d, w.count("the number of a note"));
       }},
      {{"library NAME [version=N] [path=FOLDER] [key=KEY]", "a library that the model uses"}, do_library},
      {{"unlibrary NAME", "one that it does not use any more"},
       [](Edit& e, Words& w) { forget_library(e, w.take("the name of a library")); }},
      {{"title NAME", "the name of the model"}, [](Edit& e, Words& w) { set_model_text(e, false, w.take("a name")); }},
      {{"describe TEXT", "what the model is, for people"},
       [](Edit& e, Words& w) { set_model_text(e, true, w.take("a text")); }},
  };
  return list;
}

std::string_view verb_of(const TextCommand& command) {
  const std::string_view usage = command.info.usage;
  return usage.substr(0, usage.find(' '));
}

void complain(const Document& document, const std::string& command, std::string message, std::string help,
              Diagnostics& diagnostics) {
  Place place;
  place.file = document.model().file;
  diagnostics.error("bad-command", std::move(place), command + ": " + std::move(message), std::move(help));
}

}  // namespace

const std::vector<CommandInfo>& command_list() {
  static const std::vector<CommandInfo> list = [] {
    std::vector<CommandInfo> infos;
    for (const TextCommand& command : commands()) infos.push_back(command.info);
    infos.push_back({"undo", "the last change"});
    infos.push_back({"redo", "what was undone"});
    return infos;
  }();
  return list;
}

namespace {

const TextCommand* find_command(const std::string& verb) {
  for (const TextCommand& known : commands()) {
    if (verb_of(known) == verb) return &known;
  }
  return nullptr;
}

std::string command_help(const std::string& verb) {
  std::vector<std::string_view> names;
  for (const TextCommand& known : commands()) names.push_back(verb_of(known));
  const std::string help = model::did_you_mean(verb, names);
  return help.empty() ? "orrery edit --help lists them" : help;
}

// "/Plant/$1:1" with the first name that was made.
std::string with_names(const std::string& word, const std::vector<std::string>& made) {
  const std::size_t at = word.find('$');
  if (at == std::string::npos || (at > 0 && word[at - 1] != '/')) return word;
  std::size_t end = at + 1, number = 0;
  while (end < word.size() && word[end] >= '0' && word[end] <= '9' && end < at + 5)
    number = 10 * number + static_cast<std::size_t>(word[end++] - '0');
  if (number < 1 || number > made.size() || (end < word.size() && word[end] != ':' && word[end] != '/')) return word;
  return word.substr(0, at) + block_path(made[number - 1]).name + word.substr(end);
}

void run_words(Edit& edit, const TextCommand& command, Words& words, const std::string& shown) {
  const auto refuse = [&](std::string message) {
    Place place;
    place.file = edit.model().file;
    edit.diagnostics().error("bad-command", std::move(place), shown + ": " + std::move(message),
                             std::string("write ") + command.info.usage);
  };
  try {
    command.run(edit, words);
    if (!edit.failed()) words.end();
  } catch (const WordError& error) {
    refuse(error.message);
  }
}

}  // namespace

std::vector<std::string> run_steps(Edit& edit, const std::vector<std::vector<std::string>>& steps) {
  std::vector<std::string> made;
  const int errors = edit.diagnostics().error_count();
  for (const std::vector<std::string>& step : steps) {
    const std::string verb = step.empty() ? "" : step[0];
    const TextCommand* command = find_command(verb);
    if (command == nullptr) {
      edit.fail("", "there is no command " + verb, command_help(verb));
      return made;
    }
    std::vector<std::string> rest_of_step;
    for (std::size_t k = 1; k < step.size(); ++k) rest_of_step.push_back(with_names(step[k], made));
    Words words(std::move(rest_of_step));
    run_words(edit, *command, words, verb);
    made.insert(made.end(), words.made.begin(), words.made.end());
    if (edit.failed() || edit.diagnostics().error_count() > errors) return made;
  }
  return made;
}

bool perform_text(Document& document, const std::string& command, Diagnostics& diagnostics) {
  auto split = split_words(command);
  if (!split) {
    complain(document, command, "a quote is not closed", "write \\\" for a quote within quotes", diagnostics);
    return false;
  }
  if (split->empty() || (*split)[0].starts_with('#')) return true;
  const std::string verb = (*split)[0];
  if ((verb == "undo" || verb == "redo") && split->size() == 1) {
    if (verb == "undo" ? document.undo() : document.redo()) return true;
    complain(document, command, "there is nothing to " + verb, "", diagnostics);
    return false;
  }
  split->erase(split->begin());
  if (const TextCommand* known = find_command(verb)) {
    Words words(std::move(*split));
    return document.perform(
        command, [&](Edit& edit) { run_words(edit, *known, words, command); }, diagnostics);
  }
  complain(document, command, "there is no command " + verb, command_help(verb), diagnostics);
  return false;
}

}  // namespace orrery::edit
