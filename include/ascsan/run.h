// Controls of the tool for programs that embed it: options by name, names for tensors.
// Everything forwards to launch_api.h; the list of options is that of the command line.
#pragma once

#include <string>

#include "ascsan/launch_api.h"

namespace ascsan {

/// Sets an option for the launches that follow. False: name or value unknown (the reason was printed).
inline bool set_option(const char* name, const char* value) {
  return ascsan_set_option(name, value) == 0;
}
inline bool set_option(const std::string& name, const std::string& value) {
  return ascsan_set_option(name.c_str(), value.c_str()) == 0;
}

/// Gives the GM allocation that contains `address` a name for reports. False: no allocation contains it.
inline bool name_tensor(const void* address, const char* name) {
  return ascsan_tensor_name(address, name) == 0;
}

}  // namespace ascsan
