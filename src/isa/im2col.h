// The im2col matrix of a 3D load: which 32-byte chunk of the NC1HWC0 image stands at row m, column block k, and where
// the chunk goes in L0A (Zz) or L0B (Zn). Formulas: spec/api-semantics.md 6. Left out: 8-bit and 4-bit transposes,
// which the chip does not have either.
#pragma once

#include "isa/violation.h"

namespace ascsan::isa {

class Im2Col {
 public:
  /// From a request whose registers are resolved.
  explicit Im2Col(const gate::Request& request);

  bool nothing() const { return rows_ == 0 || blocks_ == 0; }
  /// Rows and column blocks (of C0 elements) of the matrix that is loaded, repeats included.
  uint64_t rows() const { return rows_; }
  uint64_t blocks() const { return blocks_; }
  uint64_t out_positions() const { return out_h_ * out_w_; }
  uint64_t matrix_columns() const;  ///< of the whole matrix, in elements
  uint32_t c0() const { return c0_; }
  uint32_t size() const { return size_; }
  bool transposed() const { return transposed_; }

  /// Matrix row and column block behind loaded row i and loaded block j.
  uint64_t row_at(uint64_t i) const { return m_start_ + i / m_extension_ * m_repeat_step_ + i % m_extension_; }
  uint64_t block_at(uint64_t j) const { return k_first_ + j / k_blocks_ * k_repeat_step_ + j % k_blocks_; }

  /// Byte offset of the chunk at (row, block) in the image, or kOutside; only for blocks of whole channels.
  static constexpr uint64_t kOutside = ~0ull;
  uint64_t chunk(uint64_t row, uint64_t block) const;
  /// True when `block` holds a remainder of channels (fewer than C0).
  bool in_tail(uint64_t block) const { return block >= full_c1_ * window_; }
  /// Writes the 32 bytes of (row, block).
  void fetch(std::byte* out, const std::byte* image, uint64_t row, uint64_t block) const;

  /// 1 x 1 filter without stride and padding: rows of one column block lie behind each other.
  bool plain() const { return plain_; }
  /// Bytes of one C1 plane of the image.
  uint64_t plane_bytes() const { return uint64_t{h_} * w_ * 32; }
  uint64_t image_bytes() const { return (full_c1_ * 32 + uint64_t{tail_} * size_) * h_ * w_; }

  // Destination. Fractals are 16 rows of 32 bytes; in the transposed forms rows are matrix columns.
  /// Number of fractals along the fast direction.
  uint64_t fractals_across() const { return across_; }
  /// Byte offset of the fractal that takes loaded rows [i, i + lanes) and block j.
  uint64_t fractal_at(uint64_t i, uint64_t j) const;

 private:
  bool element_at(uint64_t row, uint64_t position, uint64_t& h, uint64_t& w) const;

  uint32_t h_, w_, pad_left_, pad_top_;
  uint32_t filter_w_, stride_w_, stride_h_, dilation_w_, dilation_h_;
  uint32_t size_, c0_, tail_;
  uint64_t window_, full_c1_, out_h_, out_w_;
  uint64_t m_start_, m_extension_, m_repeat_step_, k_first_, k_blocks_, k_repeat_step_;
  uint64_t rows_, blocks_, across_;
  bool transposed_, to_l0b_, plain_;
  std::byte padding_[32];
};

}  // namespace ascsan::isa
