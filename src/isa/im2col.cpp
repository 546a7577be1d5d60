#include "isa/im2col.h"

#include <cstring>

namespace ascsan::isa {
namespace {

uint64_t positions(uint32_t extent, uint32_t before, uint32_t after, uint32_t filter, uint32_t dilation,
                   uint32_t stride) {
  const int64_t room = int64_t{extent} + before + after - ((int64_t{filter} - 1) * dilation + 1);
  return room < 0 || stride == 0 ? 0 : static_cast<uint64_t>(room) / stride + 1;
}

}  // namespace

Im2Col::Im2Col(const gate::Request& request) {
  const gate::Load3dParams& p = request.params.load3d;
  const uint32_t bits = gate::bits_of(request.operand[1].type);
  size_ = std::max(1u, bits / 8);
  c0_ = bits == 0 ? 32 : 256 / bits;
  h_ = p.map.h, w_ = p.map.w, pad_left_ = p.map.pad[0], pad_top_ = p.map.pad[2];
  filter_w_ = p.filter_w, stride_w_ = p.stride_w, stride_h_ = p.stride_h, dilation_w_ = p.dilation_w,
  dilation_h_ = p.dilation_h;
  out_h_ = positions(h_, p.map.pad[2], p.map.pad[3], p.filter_h, dilation_h_, stride_h_);
  out_w_ = positions(w_, p.map.pad[0], p.map.pad[1], p.filter_w, dilation_w_, stride_w_);
  window_ = uint64_t{p.filter_w} * p.filter_h;
  full_c1_ = p.channels / c0_, tail_ = p.channels % c0_;
  m_start_ = p.m_start, m_extension_ = p.m_extension;
  k_first_ = p.k_start / c0_, k_blocks_ = ceil_div(p.k_extension, c0_);
  const bool along_k = p.repeat_along_k != 0;
  m_repeat_step_ = along_k ? 0 : uint64_t{p.repeat_stride} * 16;
  k_repeat_step_ = along_k ? p.repeat_stride : 0;
  const bool no_work =
      h_ == 0 || w_ == 0 || p.channels == 0 || window_ == 0 || p.repeat_times == 0 || out_h_ * out_w_ == 0;
  rows_ = no_work ? 0 : m_extension_ * (along_k ? 1 : p.repeat_times);
  blocks_ = no_work ? 0 : k_blocks_ * (along_k ? p.repeat_times : 1);
  to_l0b_ = request.operand[0].space == gate::Space::kL0b;
  transposed_ = to_l0b_ || p.transpose != 0;
  const uint32_t any_pad = p.map.pad[0] | p.map.pad[1] | p.map.pad[2] | p.map.pad[3];
  plain_ = window_ == 1 && stride_w_ == 1 && stride_h_ == 1 && any_pad == 0 && tail_ == 0;
  const uint64_t lanes = c0_;  // loaded rows that share a fractal in the transposed forms
  across_ = !transposed_ ? blocks_ : to_l0b_ ? ceil_div(blocks_ * c0_, 16) : ceil_to(rows_, 16) / lanes;
  for (uint32_t i = 0; i < 32; i += size_) std::memcpy(padding_ + i, &p.pad_value, size_);
}

uint64_t Im2Col::matrix_columns() const {
  return ceil_to((full_c1_ * c0_ + tail_) * window_, c0_);
}

bool Im2Col::element_at(uint64_t row, uint64_t position, uint64_t& h, uint64_t& w) const {
  if (row >= out_h_ * out_w_) return false;
  const int64_t y = static_cast<int64_t>(row / out_w_ * stride_h_ + position / filter_w_ * dilation_h_) - pad_top_;
  const int64_t x = static_cast<int64_t>(row % out_w_ * stride_w_ + position % filter_w_ * dilation_w_) - pad_left_;
  if (y < 0 || x < 0 || y >= h_ || x >= w_) return false;
  h = static_cast<uint64_t>(y), w = static_cast<uint64_t>(x);
  return true;
}

uint64_t Im2Col::chunk(uint64_t row, uint64_t block) const {
  uint64_t h = 0, w = 0;
  if (in_tail(block) || !element_at(row, block % window_, h, w)) return kOutside;
  return ((block / window_ * h_ + h) * w_ + w) * 32;
}

void Im2Col::fetch(std::byte* out, const std::byte* image, uint64_t row, uint64_t block) const {
  if (!in_tail(block)) {
    const uint64_t offset = chunk(row, block);
    std::memcpy(out, offset == kOutside ? padding_ : image + offset, 32);
    return;
  }
  // Remainder of channels: the last plane holds `tail_` elements a pixel, columns follow each other without gap.
  std::memcpy(out, padding_, 32);
  const std::byte* plane = image + full_c1_ * plane_bytes();
  const uint64_t first = (block - full_c1_ * window_) * c0_;
  for (uint64_t lane = 0; lane < c0_ && tail_ != 0; ++lane) {
    const uint64_t position = (first + lane) / tail_, channel = (first + lane) % tail_;
    uint64_t h = 0, w = 0;
    if (position >= window_ || !element_at(row, position, h, w)) continue;
    std::memcpy(out + lane * size_, plane + ((h * w_ + w) * tail_ + channel) * size_, size_);
  }
}

uint64_t Im2Col::fractal_at(uint64_t i, uint64_t j) const {
  constexpr uint64_t kFractal = 512;
  if (!transposed_) return (i / 16 * across_ + j) * kFractal;
  const uint64_t row_block = i / c0_, column_block = j * c0_ / 16;
  return (to_l0b_ ? row_block * across_ + column_block : column_block * across_ + row_block) * kFractal;
}

}  // namespace ascsan::isa
