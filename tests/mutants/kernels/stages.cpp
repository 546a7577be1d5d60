// Three stages over all cores: targets are looked up and stored, all meet, every core uses those of its neighbour, and
// a third stage scales what the second left in global memory of its own (multi-stage kernel, GM between stages).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kSlice = 32, kTotal = kCores * kSlice;

class Stages {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR targets, GM_ADDR used, GM_ADDR y) {
    x_.SetGlobalBuffer((__gm__ float*)x, kTotal);
    targets_.SetGlobalBuffer((__gm__ float*)targets, kTotal);
    used_.SetGlobalBuffer((__gm__ float*)used, kTotal);
    y_.SetGlobalBuffer((__gm__ float*)y, kTotal);
    pipe_.InitBuffer(in_, kSlice * sizeof(float));
    pipe_.InitBuffer(out_, kSlice * sizeof(float));
    me_ = GetBlockIdx();
  }
  __aicore__ inline void Process() {
    Target();
    SyncAll();
    Use();
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID4);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID4);
    Scale();
  }

 private:
  __aicore__ inline void Target() {
    LocalTensor<float> in = in_.Get<float>();
    LocalTensor<float> out = out_.Get<float>();
    DataCopy(in, x_[me_ * kSlice], kSlice);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(out, in, 10.0f, kSlice);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(targets_[me_ * kSlice], out, kSlice);
  }
  __aicore__ inline void Use() {
    LocalTensor<float> in = in_.Get<float>();
    LocalTensor<float> out = out_.Get<float>();
    DataCopy(in, targets_[(me_ + 1) % kCores * kSlice], kSlice);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Muls(out, in, 2.0f, kSlice);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopy(used_[me_ * kSlice], out, kSlice);
  }
  __aicore__ inline void Scale() {
    LocalTensor<float> in = in_.Get<float>();
    LocalTensor<float> out = out_.Get<float>();
    SetFlag<HardEvent::V_MTE2>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID2);
    DataCopy(in, used_[me_ * kSlice], kSlice);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID2);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID2);
    Muls(out, in, 3.0f, kSlice);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    DataCopy(y_[me_ * kSlice], out, kSlice);
  }
  TPipe pipe_;
  TBuf<TPosition::VECCALC> in_, out_;
  GlobalTensor<float> x_, targets_, used_, y_;
  uint32_t me_ = 0;
};

__global__ __aicore__ void stages(GM_ADDR x, GM_ADDR targets, GM_ADDR used, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  Stages op;
  op.Init(x, targets, used, y);
  op.Process();
}

int main() {
  corpus::Tensor<float> x("x", kTotal), targets("workspace_targets", kTotal), used("used", kTotal), y("y", kTotal);
  x.seeded(24);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(stages, kCores, x.gm(), targets.gm(), used.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return 6 * (x.at((i + kSlice) % kTotal) + 10); });
}
