// ListTensorDesc and TensorDesc: a dynamic list of tensors that the host packed into one GM block of 64-bit words:
// [bytes to the pointers] { [dim low, index high] [shape 0] ... [shape dim-1] } ... [pointer 0] [pointer 1] ...
// Rule: the documented layout of ListTensorDesc (A2/A3). The block is constant and read as plain host memory, like
// tiling data. Left out: the optional checks by length and shapeSize.
#pragma once

#include "ascendc/kernel_macros.h"
#include "ascendc/tensor.h"

namespace AscendC {

/// One tensor of a list. SetShapeAddr before GetDesc names where the shape is copied to.
template <class T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t* shape) { shape_ = shape; }
  uint64_t GetDim() const { return dim_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t axis) const { return shape_ != nullptr && axis < dim_ ? shape_[axis] : 0; }
  __gm__ T* GetDataPtr() const { return data_; }
  /// The tensor, with its extent known from the shape.
  GlobalTensor<T> GetDataObj() const {
    uint64_t elems = 1;
    for (uint32_t axis = 0; axis < dim_; ++axis) elems *= GetShape(axis);
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_, elems);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t* shape_ = nullptr;
  uint64_t dim_ = 0, index_ = 0;
  __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                 Site site = ASCSAN_HERE) {
    Init(data, length, shapeSize, site);
  }
  void Init(__gm__ void* data, uint32_t = 0xffffffff, uint32_t = 0xffffffff, Site site = ASCSAN_HERE) {
    if (data == nullptr) {
      detail::trap("ListTensorDesc: the address of the list is null", site);
      return;
    }
    words_ = static_cast<const uint64_t*>(data);
    pointers_ = words_ + words_[0] / sizeof(uint64_t);
    size_ = 0;
    for (const uint64_t* at = words_ + 1; at < pointers_; at += 1 + dim_of(*at)) ++size_;
  }

  uint32_t GetSize() const { return size_; }
  template <class T>
  __gm__ T* GetDataPtr(uint32_t index, Site site = ASCSAN_HERE) const {
    return in_list(index, site) ? reinterpret_cast<__gm__ T*>(pointers_[index]) : nullptr;
  }
  template <class T>
  void GetDesc(TensorDesc<T>& desc, uint32_t index, Site site = ASCSAN_HERE) const {
    if (!in_list(index, site)) return;
    const uint64_t* at = words_ + 1;
    for (uint32_t i = 0; i < index; ++i) at += 1 + dim_of(*at);
    desc.dim_ = dim_of(*at);
    desc.index_ = *at >> 32;
    desc.data_ = reinterpret_cast<__gm__ T*>(pointers_[index]);
    for (uint64_t axis = 0; desc.shape_ != nullptr && axis < desc.dim_; ++axis) desc.shape_[axis] = at[1 + axis];
  }

 private:
  static uint64_t dim_of(uint64_t word) { return word & 0xffffffffu; }
  bool in_list(uint32_t index, const Site& site) const {
    if (index < size_) return true;
    detail::trap("ListTensorDesc: the index is not below GetSize()", site);
    return false;
  }

  const uint64_t* words_ = nullptr;
  const uint64_t* pointers_ = nullptr;
  uint32_t size_ = 0;
};

}  // namespace AscendC
