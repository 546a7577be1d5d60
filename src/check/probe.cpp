#include "check/probe.h"

#include <algorithm>
#include <cstring>

namespace ascsan::check {
namespace {
/// 0 and all ones are complements, so every bit that goes through shows; all ones is a NaN, which every sum and product
/// hands on. The other two are large numbers of either sign in every type, for maxima, minima and clamps.
constexpr uint8_t kZero = 0x00;
/// A small positive number in every type.
constexpr uint8_t kSmall = 0x3C;
constexpr uint8_t kOthers[] = {0xFF, 0x7B, 0xFB};

bool any_set(const std::vector<uint8_t>& bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; });
}
}  // namespace

void Probe::begin(const event::Event& event, event::Execution& execution) {
  event_ = &event;
  execution_ = &execution;
  inputs_.clear();
  bits_.clear();
  originals_.clear();
  input_registers_.assign(execution.registers().size(), 0);
  any_output_ = any_register_ = mixed_ = false;
}

void Probe::add_input(gate::Space space, uint64_t begin, const uint8_t* bits, size_t count) {
  std::byte* const at = execution_->at(space, begin);
  inputs_.push_back({at, count, bits_.size()});
  bits_.insert(bits_.end(), bits, bits + count);
  const auto* bytes = reinterpret_cast<const uint8_t*>(at);
  originals_.insert(originals_.end(), bytes, bytes + count);
}

void Probe::add_registers(const uint8_t* bits, size_t count) {
  std::copy(bits, bits + count, input_registers_.begin());
}

void Probe::collect_outputs() {
  outputs_.clear();
  std::span<const event::Access> accesses{event_->accesses, event_->access_count};
  std::span<const event::Span> spans;
  const event::Span* first = event_->spans;
  if (execution_->data_dependent() && !has_addresses(execution_->request())) {
    execution_->largest(accesses, spans);
    first = spans.data();
  }
  size_t next = 0;
  for (const event::Access& access : accesses) {
    if (!event::writes(access.role)) continue;
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = first[access.first_span + i];
      outputs_.push_back({access.space, access.type, access.role, access.tensor_begin, span.begin, span.end, next});
      next += span.end - span.begin;
    }
  }
  undefined_.assign(next, 0);
}

void Probe::snapshot(std::vector<uint8_t>& bytes, std::vector<uint8_t>& registers) {
  bytes.resize(undefined_.size());
  for (const Output& output : outputs_)
    std::memcpy(bytes.data() + output.first_bit_byte, execution_->at(output.space, output.begin),
                output.end - output.begin);
  const std::span<std::byte> state = execution_->registers();
  registers.resize(state.size());
  std::memcpy(registers.data(), state.data(), state.size());
}

/// Outputs first: where an input lies in an output, what it held before is in both.
void Probe::put_back() {
  for (const Output& output : outputs_)
    std::memcpy(execution_->at(output.space, output.begin), saved_.data() + output.first_bit_byte,
                output.end - output.begin);
  for (const Input& input : inputs_) std::memcpy(input.at, originals_.data() + input.first, input.count);
  const std::span<std::byte> state = execution_->registers();
  std::memcpy(state.data(), saved_registers_.data(), state.size());
}

void Probe::fill(uint8_t pattern) {
  // No branch on a byte: this is vector work.
  const auto put = [pattern](std::byte* __restrict at, const uint8_t* __restrict bits, const uint8_t* __restrict kept,
                             size_t count) {
    for (size_t i = 0; i < count; ++i) at[i] = static_cast<std::byte>((kept[i] & ~bits[i]) | (pattern & bits[i]));
  };
  for (const Input& input : inputs_)
    put(input.at, bits_.data() + input.first, originals_.data() + input.first, input.count);
  const std::span<std::byte> state = execution_->registers();
  put(state.data(), input_registers_.data(), saved_registers_.data(), state.size());
}

void Probe::compare() {
  for (size_t i = 0; i < undefined_.size(); ++i)
    undefined_[i] = static_cast<uint8_t>(undefined_[i] | (zero_[i] ^ other_[i]));
  for (size_t i = 0; i < undefined_registers_.size(); ++i)
    undefined_registers_[i] =
        static_cast<uint8_t>(undefined_registers_[i] | (zero_registers_[i] ^ other_registers_[i]));
}

/// Result elements of arithmetic are undefined as a whole.
void Probe::widen() {
  for (const Output& output : outputs_) {
    const uint64_t size = std::max<uint64_t>(1, gate::bytes_of(output.type));
    uint8_t* const bits = undefined_.data() + output.first_bit_byte;
    const uint64_t count = output.end - output.begin;
    const uint64_t phase = (output.begin - output.base) % size;  // the run may begin inside an element
    for (uint64_t at = 0; at < count;) {
      const uint64_t stop = std::min(count, at + size - (at + phase) % size);
      if (std::any_of(bits + at, bits + stop, [](uint8_t byte) { return byte != 0; }))
        std::fill(bits + at, bits + stop, uint8_t{0xFF});
      at = stop;
    }
  }
}

/// With zeros for what is undefined, does the result still hang on the defined operands?
void Probe::find_mixed() {
  std::vector<Input> operands;
  std::vector<uint8_t> kept;
  for (uint32_t a = 0; a < event_->access_count; ++a) {
    const event::Access& access = event_->accesses[a];
    if (!event::reads(access.role) || access.operand > 2) continue;  // a bias is added to padding columns too
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = event_->spans[access.first_span + i];
      const Input input{execution_->at(access.space, span.begin), span.end - span.begin, kept.size()};
      const auto* bytes = reinterpret_cast<const uint8_t*>(input.at);
      kept.insert(kept.end(), bytes, bytes + input.count);
      operands.push_back(input);
    }
  }
  for (const Input& input : operands) std::memset(input.at, kSmall, input.count);
  for (const Input& input : inputs_)
    for (size_t i = 0; i < input.count; ++i) input.at[i] = static_cast<std::byte>(kSmall & ~bits_[input.first + i]);
  execution_->run();
  snapshot(other_, other_registers_);
  for (const Input& input : operands) std::memcpy(input.at, kept.data() + input.first, input.count);
  for (size_t i = 0; i < undefined_.size() && !mixed_; ++i) mixed_ = undefined_[i] != 0 && zero_[i] != other_[i];
  for (size_t i = 0; i < undefined_registers_.size() && !mixed_; ++i)
    mixed_ = undefined_registers_[i] != 0 && zero_registers_[i] != other_registers_[i];
}

void Probe::run(Flow flow) {
  collect_outputs();
  undefined_registers_.assign(input_registers_.size(), 0);
  snapshot(saved_, saved_registers_);
  fill(kZero);
  execution_->run();
  snapshot(zero_, zero_registers_);
  // A product or a plain move needs no numbers of either sign.
  const size_t others = flow == Flow::kExact || flow == Flow::kProduct ? 1 : std::size(kOthers);
  for (size_t i = 0; i < others; ++i) {
    put_back();
    fill(kOthers[i]);
    execution_->run();
    snapshot(other_, other_registers_);
    compare();
  }
  put_back();
  if (flow != Flow::kExact && flow != Flow::kBits) widen();
  any_output_ = any_set(undefined_);
  any_register_ = any_set(undefined_registers_);
  if ((flow == Flow::kReduce || flow == Flow::kProduct) && (any_output_ || any_register_)) {
    find_mixed();
    put_back();
  }
}

}  // namespace ascsan::check
