#include "event/names.h"

namespace ascsan::event {

const char* pipe_name(gate::Pipe pipe) {
  switch (pipe) {
    case gate::Pipe::kS:
      return "S";
    case gate::Pipe::kV:
      return "V";
    case gate::Pipe::kM:
      return "M";
    case gate::Pipe::kMte1:
      return "MTE1";
    case gate::Pipe::kMte2:
      return "MTE2";
    case gate::Pipe::kMte3:
      return "MTE3";
    case gate::Pipe::kFix:
      return "FIX";
    case gate::Pipe::kAll:
      return "ALL";
  }
  return "";
}

const char* space_name(gate::Space space) {
  switch (space) {
    case gate::Space::kGm:
      return "GM";
    case gate::Space::kUb:
      return "UB";
    case gate::Space::kL1:
      return "L1";
    case gate::Space::kL0a:
      return "L0A";
    case gate::Space::kL0b:
      return "L0B";
    case gate::Space::kL0c:
      return "L0C";
    case gate::Space::kBt:
      return "BT";
    case gate::Space::kFb:
      return "FB";
    case gate::Space::kNone:
      return "";
  }
  return "";
}

const char* api_name(gate::Op op) {
  switch (op) {
#define ASCSAN_OP(name, api) \
  case gate::Op::k##name:    \
    return api;
#include "ascendc/ops_copy.def"
#include "ascendc/ops_cube.def"
#include "ascendc/ops_frame.def"
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
    case gate::Op::kCount:
      return "";
  }
  return "";
}

std::string CoreCounts::name(CoreId core) const {
  return is_aiv(core) ? "AIV " + std::to_string(core - aic) : "AIC " + std::to_string(core);
}

}  // namespace ascsan::event
