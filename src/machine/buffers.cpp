#include "machine/buffers.h"

namespace ascsan::machine {
namespace {
// Numbering of AscendC::TPosition (include/ascendc/tensor.h).
enum Position : uint8_t {
  kGm,
  kA1,
  kA2,
  kB1,
  kB2,
  kC1,
  kC2,
  kCo1,
  kCo2,
  kVecIn,
  kVecOut,
  kVecCalc,
  kSpm,
  kTscm,
  kC2Pipe2Gm,
  kC2Pipe2Local
};
bool is_ub(uint8_t p) {
  return p == kVecIn || p == kVecOut || p == kVecCalc;
}
bool is_l1(uint8_t p) {
  return p == kA1 || p == kB1 || p == kC1 || p == kTscm || p == kSpm;
}
bool is_l0(uint8_t p) {
  return p == kA2 || p == kB2;
}
bool is_gm(uint8_t p) {
  return p == kGm || p == kCo2;
}
bool is_fb(uint8_t p) {
  return p == kC2Pipe2Gm || p == kC2Pipe2Local;
}
}  // namespace

gate::Space space_of_position(uint8_t position) {
  if (is_gm(position)) return gate::Space::kGm;
  if (is_l1(position)) return gate::Space::kL1;
  if (position == kA2) return gate::Space::kL0a;
  if (position == kB2) return gate::Space::kL0b;
  if (position == kC2) return gate::Space::kBt;
  if (position == kCo1) return gate::Space::kL0c;
  if (is_fb(position)) return gate::Space::kFb;
  return gate::Space::kUb;
}

EventPair event_pair_of(uint8_t source, uint8_t destination) {
  using gate::Pipe;
  if (destination == kTscm && is_ub(source)) return {Pipe::kMte3, Pipe::kMte1};
  if (is_gm(source) && is_ub(destination)) return {Pipe::kMte2, Pipe::kV};
  if (is_ub(source) && is_gm(destination)) return {Pipe::kV, Pipe::kMte3};
  if (source == kVecCalc && destination == kVecCalc) return {Pipe::kV, Pipe::kV, true, false, true};
  if (is_ub(source) && is_ub(destination)) return {Pipe::kMte2, Pipe::kMte3};
  if (is_gm(source) && destination == kTscm) return {Pipe::kMte2, Pipe::kMte1};
  if (is_gm(source) && is_l1(destination)) return {Pipe::kMte2, Pipe::kMte1};
  if (is_l1(source) && is_l0(destination)) return {Pipe::kMte1, Pipe::kM};
  if (is_l1(source) && destination == kC2) return {Pipe::kMte1, Pipe::kM};
  if (is_l1(source) && is_fb(destination)) return {Pipe::kMte1, Pipe::kFix};
  if (source == kCo1 && is_gm(destination)) return {Pipe::kM, Pipe::kFix};
  if (is_gm(source) && is_l0(destination)) return {Pipe::kMte2, Pipe::kM};
  if (is_ub(source) && is_l1(destination)) return {Pipe::kMte3, Pipe::kMte1};
  return {Pipe::kS, Pipe::kS, false};
}

int BufferTable::find(gate::Space space, uint64_t address) const {
  for (size_t i = buffers.size(); i > first_live; --i) {
    const Buffer& buffer = buffers[i - 1];
    if (buffer.space == space && address >= buffer.address && address < buffer.address + buffer.bytes)
      return static_cast<int>(i - 1);
  }
  return -1;
}

}  // namespace ascsan::machine
