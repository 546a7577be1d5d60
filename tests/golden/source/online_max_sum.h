// Read by the golden tests only: the source lines that the made-up findings point at.
template <typename T>
void OnlineMaxSum<T>::Process() {
  TargetProcess();
  CVProcess();
}

template <typename T>
void OnlineMaxSum<T>::TargetProcess() {
  SyncAll<false>();
  for (uint32_t unit = 0; unit < units_; ++unit) {
    TargetInnerProcess(unit);  // 每个单元处理八行
  }
}

template <typename T>
void OnlineMaxSum<T>::TargetInnerProcess(uint32_t unit) {
  LocalTensor<float> mask = targetQueue_.DeQue<float>();
  DataCopyPad(gmMaskedTarget_[unit * kRowsPerUnit], mask, {1, static_cast<uint32_t>(rows_ * sizeof(float)), 0, 0, 0});
}

template <typename T>
void OnlineMaxSum<T>::OnlineCopyIn(uint32_t row) {
	LocalTensor<float> target = targetQueue_.AllocTensor<float>();
	DataCopyPad(target, gmMaskedTarget_[row], copyParams_, padParams_);
	targetQueue_.EnQue(target);
}

template <typename T>
void OnlineMaxSum<T>::Reduce() {
  Add(sum_, sum_, part_, count_);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gmSum_, sum_, count_);
  Adds(sum_, sum_, 1.0f, count_);
}

extern "C" __global__ __aicore__ void fused_linear_online_max_sum(GM_ADDR input, GM_ADDR weight, GM_ADDR target) {
  OnlineMaxSum<half> op;
  op.Process();
}
