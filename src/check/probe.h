// What of an instruction's result hangs on undefined input: the instruction is carried out on its own memories several
// times with other values in the undefined bits, before it really happens; a bit of the result that changes is
// undefined. So no operation needs a rule of its own, and masked lanes, padding that is computed and dropped, products
// with a padded operand come out right. Everything is put back afterwards.
// Left out: addresses and amounts in memory (init.cpp keeps undefined ones away from the probe).
#pragma once

#include <vector>

#include "check/init_flow.h"
#include "event/execution.h"

namespace ascsan::check {

class Probe {
 public:
  /// A run of bytes the instruction may write, and which of their bits are undefined afterwards.
  struct Output {
    gate::Space space;
    gate::DataType type;
    event::Role role;
    uint64_t base, begin, end;  ///< base: start of the operand, for the grid of elements
    size_t first_bit_byte;      ///< into bits()
  };

  /// Begins a new instruction.
  void begin(const event::Event& event, event::Execution& execution);
  /// Undefined bits of an input: `bits` holds one byte for each of [begin, begin + count).
  void add_input(gate::Space space, uint64_t begin, const uint8_t* bits, size_t count);
  /// Undefined bits of the registers, one byte for each.
  void add_registers(const uint8_t* bits, size_t count);
  void run(Flow flow);

  const std::vector<Output>& outputs() const { return outputs_; }
  const uint8_t* bits(const Output& output) const { return undefined_.data() + output.first_bit_byte; }
  const std::vector<uint8_t>& register_bits() const { return undefined_registers_; }
  bool any_output() const { return any_output_; }
  bool any_register() const { return any_register_; }
  /// Some result element hangs on defined input as well: defined and undefined lanes were brought together.
  bool mixed() const { return mixed_; }

 private:
  struct Input {
    std::byte* at;
    size_t count, first;  ///< first: into bits_ and originals_
  };
  void collect_outputs();
  void fill(uint8_t pattern);
  void snapshot(std::vector<uint8_t>& bytes, std::vector<uint8_t>& registers);
  void put_back();
  void compare();
  void widen();
  void find_mixed();

  const event::Event* event_ = nullptr;
  event::Execution* execution_ = nullptr;
  std::vector<Input> inputs_;
  std::vector<uint8_t> bits_, originals_;
  std::vector<uint8_t> input_registers_, saved_registers_;
  std::vector<Output> outputs_;
  std::vector<uint8_t> saved_, zero_, other_, undefined_;
  std::vector<uint8_t> zero_registers_, other_registers_, undefined_registers_;
  bool any_output_ = false, any_register_ = false, mixed_ = false;
};

}  // namespace ascsan::check
