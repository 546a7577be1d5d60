// z = x + y through queues, double buffered, two tiles per core and a shorter last one (TQue, copy-pad tail).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kTotal = 84, kTile = 24, kPerCore = 48;

class AddQueues {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
    const uint32_t start = kPerCore * GetBlockIdx();
    length_ = Std::min(kPerCore, kTotal - start);
    x_.SetGlobalBuffer((__gm__ float*)x + start, length_);
    y_.SetGlobalBuffer((__gm__ float*)y + start, length_);
    z_.SetGlobalBuffer((__gm__ float*)z + start, length_);
    pipe_.InitBuffer(in_x_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(in_y_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < length_; at += kTile) {
      const uint32_t count = Std::min(kTile, length_ - at);
      CopyIn(at, count);
      Compute(count);
      CopyOut(at, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t at, uint32_t count) {
    LocalTensor<float> x = in_x_.AllocTensor<float>();
    LocalTensor<float> y = in_y_.AllocTensor<float>();
    const DataCopyExtParams move{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    const DataCopyPadExtParams<float> pad{true, 0, 0, 0.0f};
    DataCopyPad(x, x_[at], move, pad);
    DataCopyPad(y, y_[at], move, pad);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
  }
  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<float> x = in_x_.DeQue<float>();
    LocalTensor<float> y = in_y_.DeQue<float>();
    LocalTensor<float> z = out_.AllocTensor<float>();
    Add(z, x, y, count);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
    out_.EnQue(z);
  }
  __aicore__ inline void CopyOut(uint32_t at, uint32_t count) {
    LocalTensor<float> z = out_.DeQue<float>();
    const DataCopyExtParams move{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    DataCopyPad(z_[at], z, move);
    out_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_x_, in_y_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<float> x_, y_, z_;
  uint32_t length_ = 0;
};

__global__ __aicore__ void add_queues(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AddQueues op;
  op.Init(x, y, z);
  op.Process();
}

int main() {
  corpus::Tensor<float> x("x", kTotal), y("y", kTotal), z("z", kTotal);
  x.seeded(1), y.seeded(2);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(add_queues, 2, x.gm(), y.gm(), z.gm());
  return corpus::compare(z, [&](uint32_t i) { return x.at(i) + y.at(i); });
}
