#include "explain/call_stack.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace ascsan::explain {
namespace {
constexpr int kMaxFrames = 64;

std::string demangle(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);
  return text;
}

/// "AscendC::Foo<half>::Bar(int)" -> "Foo<half>::Bar" is a reader's job; here only the parameter list goes.
std::string without_parameters(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0 && i > 0) return text.substr(0, i);
  }
  return text;
}

Dwfl* open_self() {
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                           .find_debuginfo = dwfl_standard_find_debuginfo,
                                           .section_address = nullptr,
                                           .debuginfo_path = nullptr};
  Dwfl* dwfl = dwfl_begin(&callbacks);
  if (dwfl == nullptr) return nullptr;
  dwfl_report_begin(dwfl);
  if (dwfl_linux_proc_report(dwfl, getpid()) != 0 || dwfl_report_end(dwfl, nullptr, nullptr) != 0) {
    dwfl_end(dwfl);
    return nullptr;
  }
  return dwfl;
}

std::string name_of_scope(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned int key : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* name = dwarf_formstring(dwarf_attr_integrate(die, key, &attribute)))
      return without_parameters(demangle(name));
  const char* name = dwarf_diename(die);
  return name != nullptr ? name : "";
}

/// Frames of one address: the innermost inlined function first, the function that holds the code last.
void add_frames(Dwfl* dwfl, uint64_t address, std::vector<report::Frame>& frames) {
  Dwfl_Module* module = dwfl_addrmodule(dwfl, address);
  report::Frame frame;
  if (module == nullptr) return;
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address)) {
    int number = 0;
    if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr))
      frame.file = file, frame.line = static_cast<uint32_t>(number);
  }
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  Dwarf_Die* scopes = nullptr;
  const int count = unit != nullptr ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
  bool named = false;
  if (count > 0) {
    // The chain of enclosing DIEs of the innermost scope carries the call lines of inlined functions.
    Dwarf_Die* chain = nullptr;
    const int length = dwarf_getscopes_die(&scopes[0], &chain);
    for (int i = 0; i < length; ++i) {
      const int tag = dwarf_tag(&chain[i]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      frame.function = name_of_scope(&chain[i]);
      frames.push_back(frame);
      named = true;
      if (tag == DW_TAG_subprogram) break;
      Dwarf_Attribute attribute;
      Dwarf_Word number = 0, file = 0;
      frame = {};
      if (dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_line, &attribute), &number) == 0)
        frame.line = static_cast<uint32_t>(number);
      Dwarf_Files* files = nullptr;
      size_t total = 0;
      if (dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_file, &attribute), &file) == 0 &&
          dwarf_getsrcfiles(unit, &files, &total) == 0)
        if (const char* path = dwarf_filesrc(files, file, nullptr, nullptr)) frame.file = path;
    }
    std::free(chain);
  }
  std::free(scopes);
  if (named) return;
  frame.function = without_parameters(demangle(dwfl_module_addrname(module, address)));
  if (!frame.function.empty() || !frame.file.empty()) frames.push_back(frame);
}
}  // namespace

std::vector<uint64_t> capture_addresses() {
  void* raw[kMaxFrames];
  const int count = backtrace(raw, kMaxFrames);
  std::vector<uint64_t> addresses;
  for (int i = 0; i < count; ++i) addresses.push_back(reinterpret_cast<uint64_t>(raw[i]));
  return addresses;
}

std::vector<report::Frame> symbolize(const std::vector<uint64_t>& addresses, bool exact) {
  std::vector<report::Frame> frames;
  Dwfl* dwfl = open_self();
  if (dwfl == nullptr) return frames;
  for (size_t i = 0; i < addresses.size(); ++i)
    add_frames(dwfl, exact && i == 0 ? addresses[i] : addresses[i] - 1, frames);
  dwfl_end(dwfl);
  // Names of files as the compiler saw them, without "./" in front.
  for (report::Frame& frame : frames)
    if (frame.file.rfind("./", 0) == 0) frame.file.erase(0, 2);
  return frames;
}

std::vector<std::vector<report::Frame>> symbolize_each(const std::vector<uint64_t>& addresses) {
  std::vector<std::vector<report::Frame>> lists(addresses.size());
  Dwfl* dwfl = addresses.empty() ? nullptr : open_self();
  if (dwfl == nullptr) return lists;
  for (size_t i = 0; i < addresses.size(); ++i) {
    add_frames(dwfl, addresses[i] - 1, lists[i]);
    for (report::Frame& frame : lists[i])
      if (frame.file.rfind("./", 0) == 0) frame.file.erase(0, 2);
  }
  dwfl_end(dwfl);
  return lists;
}

}  // namespace ascsan::explain
