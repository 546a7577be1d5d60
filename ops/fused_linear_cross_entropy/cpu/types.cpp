// Names and sizes of element types.
#include "flce/types.h"

namespace flce {

int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
    case DType::kUInt8:
    case DType::kBool:
      return 1;
  }
  return 0;
}

const char* name_of(DType dtype) {
  static const char* const kNames[] = {"float32", "float16", "bfloat16", "float64", "int32", "int64", "uint8", "bool"};
  return kNames[static_cast<int>(dtype)];
}

}  // namespace flce
