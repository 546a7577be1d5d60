// Every frame API gives exactly the request that ops_frame.def promises, with the user's place in it.
// links: ascsan_flags
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kernel_operator.h"

namespace {
std::vector<ascsan::gate::Request> g_requests;
std::function<uint64_t(ascsan::gate::Request&)> g_answer;
}  // namespace

/// A gate that records and answers what the test says.
extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  const uint64_t answer = g_answer ? g_answer(*request) : 1;
  g_requests.push_back(*request);
  return answer;
}

namespace {

using namespace AscendC;
using ascsan::gate::Op;
using ascsan::gate::Pipe;
using ascsan::gate::Request;
using ascsan::gate::Space;

class FrameRequests : public ::testing::Test {
 protected:
  void SetUp() override {
    g_requests.clear();
    g_answer = nullptr;
  }
  /// The only request since the last call; checks that its place is `line` of this file.
  Request only(uint32_t line) {
    EXPECT_EQ(g_requests.size(), 1u);
    Request request = g_requests.empty() ? Request{} : g_requests.back();
    EXPECT_EQ(request.site.line, line);
    EXPECT_NE(std::string(request.site.file).find("frame_requests_test.cpp"), std::string::npos);
    g_requests.clear();
    return request;
  }
};

TEST_F(FrameRequests, EveryHardEventNamesItsPipes) {
  static_assert(static_cast<int>(HardEvent::MAX) == 35);
  const struct {
    HardEvent event;
    const char* name;
  } events[] = {
#define ROW(name) {HardEvent::name, #name}
      ROW(MTE2_MTE1), ROW(MTE1_MTE2), ROW(MTE1_M), ROW(M_MTE1),   ROW(MTE2_V),    ROW(V_MTE2),    ROW(MTE3_V),
      ROW(V_MTE3),    ROW(M_V),       ROW(V_M),    ROW(V_V),      ROW(MTE3_MTE1), ROW(MTE1_MTE3), ROW(MTE1_V),
      ROW(MTE2_M),    ROW(M_MTE2),    ROW(V_MTE1), ROW(M_FIX),    ROW(FIX_M),     ROW(MTE3_MTE2), ROW(MTE2_MTE3),
      ROW(S_V),       ROW(V_S),       ROW(S_MTE2), ROW(MTE2_S),   ROW(S_MTE3),    ROW(MTE3_S),    ROW(MTE2_FIX),
      ROW(FIX_MTE2),  ROW(FIX_S),     ROW(M_S),    ROW(FIX_MTE3), ROW(MTE1_FIX),  ROW(FIX_MTE1),  ROW(FIX_FIX)};
#undef ROW
  const char* const pipe_names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  int value = 0;
  for (const auto& row : events) {
    EXPECT_EQ(static_cast<int>(row.event), value++) << row.name;
    const EventPipes pipes = pipes_of(row.event);
    EXPECT_EQ(std::string(pipe_names[static_cast<int>(pipes.src)]) + "_" + pipe_names[static_cast<int>(pipes.dst)],
              row.name);
  }
}

TEST_F(FrameRequests, FlagsAndBarriers) {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  Request request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kSetFlag);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kMte2);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.dst_pipe), Pipe::kV);
  EXPECT_EQ(request.params.frame.id, 3);

  wait_flag(PIPE_FIX, PIPE_M, 9);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kWaitFlag);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kFix);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.dst_pipe), Pipe::kM);
  EXPECT_EQ(request.params.frame.id, 9) << "a wrong id must reach the checker";

  PipeBarrier<PIPE_ALL>();
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kPipeBarrier);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kAll);

  DataSyncBarrier<MemDsbT::UB>();
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kDataSyncBarrier);
  EXPECT_EQ(request.params.frame.mode, 2);

  TQueSync<PIPE_V, PIPE_MTE3> sync;
  sync.WaitFlag(5);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kWaitFlag);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kV);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.dst_pipe), Pipe::kMte3);
}

TEST_F(FrameRequests, CrossCore) {
  CrossCoreSetFlag<0x2, PIPE_FIX>(7);
  Request request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kCrossCoreSetFlag);
  EXPECT_EQ(request.params.frame.mode, 2);
  EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kFix);
  EXPECT_EQ(request.params.frame.id, 7);

  // The intrinsic packs 1 + mode * 16 + id * 256.
  ffts_cross_core_sync(PIPE_MTE3, 1 + (1 << 4) + (13 << 8));
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kCrossCoreSetFlag);
  EXPECT_EQ(request.params.frame.mode, 1);
  EXPECT_EQ(request.params.frame.id, 13);

  SyncAll<false>();
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kSyncAll);
  EXPECT_EQ(request.params.frame.flag, 0);

  alignas(32) int32_t words[64] = {};
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(words, 64);
  LocalTensor<int32_t> ub(TPosition::VECCALC, 96, 64);
  g_requests.clear();
  SyncAll<true>(gm, ub, 5);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kSyncAllSoft);
  EXPECT_EQ(request.params.frame.flag, 1);
  EXPECT_EQ(request.params.frame.value[0], 5u);
  ASSERT_EQ(request.operand_count, 2);
  EXPECT_EQ(request.operand[0].address, reinterpret_cast<uint64_t>(words));
  EXPECT_EQ(request.operand[1].address, 96u);

  IBWait<false>(gm, ub, 3, 1);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kIbWait);
  EXPECT_EQ(request.params.frame.flag, 0);
  EXPECT_EQ(request.params.frame.id, 1);
  EXPECT_EQ(request.params.frame.value[0], 3u);
}

TEST_F(FrameRequests, PipeAndQueueCarryHandles) {
  int next = 0;
  g_answer = [&](Request& request) -> uint64_t {
    if (request.op == Op::kQueueAlloc || request.op == Op::kQueueDeque || request.op == Op::kBufferGet) {
      request.operand[0].space = Space::kUb;
      request.operand[0].address = 256;
      request.operand[0].bytes = 128;
      request.operand[0].buffer = 77;
    }
    return static_cast<uint64_t>(++next);
  };
  {
    TPipe pipe;
    Request request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kPipeInit);
    EXPECT_EQ(request.params.frame.value[0], reinterpret_cast<uint64_t>(&pipe));

    TQue<TPosition::VECOUT, 3> queue;
    EXPECT_EQ(queue.ascsan_handle(), -1);
    EXPECT_TRUE(pipe.InitBuffer(queue, 2, 100));
    request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kQueueInit);
    EXPECT_EQ(request.params.frame.id, 1) << "handle of the pipe";
    EXPECT_EQ(static_cast<TPosition>(request.params.frame.mode), TPosition::VECOUT);
    EXPECT_EQ(static_cast<TPosition>(request.params.frame.flag), TPosition::GM);
    EXPECT_EQ(request.params.frame.value[0], 2u);
    EXPECT_EQ(request.params.frame.value[1], 100u);
    EXPECT_EQ(request.params.frame.value[2], 3u);

    TQue<TPosition::VECOUT, 3> copy = queue;
    LocalTensor<half> tensor = copy.AllocTensor<half>();
    request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kQueueAlloc);
    EXPECT_EQ(request.params.frame.id, 2) << "the copy is the same queue";
    EXPECT_EQ(tensor.GetSize(), 64u);
    EXPECT_EQ(tensor.GetPosition(), TPosition::VECOUT);

    queue.EnQue<TPosition::VECIN, TPosition::GM>(tensor);
    request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kQueueEnque);
    EXPECT_EQ(request.params.frame.flag, 1);
    EXPECT_EQ(static_cast<TPosition>(request.params.frame.mode), TPosition::VECIN);
    EXPECT_EQ(static_cast<TPosition>(request.params.frame.value[0]), TPosition::GM);
    EXPECT_EQ(request.operand[0].buffer, 77u);

    TBuf<> buffer;
    EXPECT_TRUE(pipe.InitBuffer(buffer, 128));
    g_requests.clear();
    const LocalTensor<float> window = buffer.GetWithOffset<float>(8, 64);
    request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kBufferGet);
    EXPECT_EQ(request.params.frame.value[0], 32u);
    EXPECT_EQ(request.params.frame.value[1], 64u);
    EXPECT_EQ(window.GetPhyAddr(), 256u + 64u);
    EXPECT_EQ(window.GetSize(), 8u);

    EXPECT_GT(pipe.FetchEventID(HardEvent::MTE3_S), 0);
    request = only(__LINE__ - 1);
    EXPECT_EQ(request.op, Op::kEventFetch);
    EXPECT_EQ(static_cast<Pipe>(request.params.frame.src_pipe), Pipe::kMte3);
    EXPECT_EQ(static_cast<Pipe>(request.params.frame.dst_pipe), Pipe::kS);

    pipe.Destroy();
    EXPECT_EQ(only(__LINE__ - 1).op, Op::kPipeDestroy);
  }
  EXPECT_TRUE(g_requests.empty()) << "destroyed twice";
  { TPipe pipe; }
  ASSERT_EQ(g_requests.size(), 2u);
  EXPECT_EQ(g_requests[1].op, Op::kPipeDestroy);
}

TEST_F(FrameRequests, BufferPositions) {
  const auto position = [](auto queue) { return decltype(queue)::bufferPosition; };
  EXPECT_EQ(position(TQue<TPosition::VECIN, 1>{}), TPosition::VECIN);
  EXPECT_EQ(position(TQue<TPosition::A2, 1>{}), TPosition::A2);
  EXPECT_EQ(position(TQue<TPosition::C2PIPE2GM, 1>{}), TPosition::C2PIPE2GM);
  EXPECT_EQ(position(TQue<TPosition::CO1, 1>{}), TPosition::CO1);
  EXPECT_EQ(position(TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>{}), TPosition::VECIN);
  EXPECT_EQ(position(TQueBind<TPosition::GM, TPosition::A1, 1>{}), TPosition::A1);
  EXPECT_EQ(position(TQueBind<TPosition::VECOUT, TPosition::A1, 1>{}), TPosition::A1);
  EXPECT_EQ(position(TSCM<TPosition::GM, 1>{}), TPosition::TSCM);
}

TEST_F(FrameRequests, RegistersCacheAndBypass) {
  SetCtrlSpr<4, 7>(0xA);
  Request request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kSetCtrl);
  EXPECT_EQ(request.params.frame.id, 4);
  EXPECT_EQ(request.params.frame.value[0], 0xAu);
  EXPECT_EQ(request.params.frame.value[1], 7u);
  g_answer = [](Request&) { return uint64_t{0x123456789ABCDEF0}; };
  EXPECT_EQ((GetCtrlSpr<4, 11>()), 0xEF);
  EXPECT_EQ((GetCtrlSpr<0, 63>()), 0x123456789ABCDEF0);
  g_requests.clear();

  SetSaturationFlag<SaturationMode::CAST>(true);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.params.frame.id, 59);
  EXPECT_EQ(request.params.frame.value[0], 0u) << "a cleared bit saturates";

  int32_t word = 0;
  WriteGmByPassDCache(&word, -2);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kStoreBypass);
  EXPECT_EQ(request.operand[0].space, Space::kGm);
  EXPECT_EQ(request.operand[0].address, reinterpret_cast<uint64_t>(&word));
  EXPECT_EQ(request.operand[0].bytes, 4u);
  EXPECT_EQ(request.params.frame.value[0], 0xFFFFFFFEu);

  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(&word, 1);
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(gm);
  request = only(__LINE__ - 1);
  EXPECT_EQ(request.op, Op::kCacheCleanInvalid);
  EXPECT_EQ(request.params.frame.mode, 1);
}

TEST_F(FrameRequests, CoreKindMacrosAskTheGate) {
  ascsan::gate::CoreKind kind = ascsan::gate::CoreKind::kAic;
  g_answer = [&](Request& request) -> uint64_t {
    EXPECT_EQ(request.op, Op::kGetInfo);
    return static_cast<Info>(request.params.frame.mode) == Info::kCoreKind ? static_cast<uint64_t>(kind) : 6;
  };
  int seen = 0;
  if ASCEND_IS_AIC {
    seen += 1;
  }
  if (ASCEND_IS_AIV) seen += 10;
  kind = ascsan::gate::CoreKind::kAiv;
  if ASCEND_IS_AIV {
    seen += 100;
  }
  if ASCEND_IS_NOT_AIC {
    seen += 1000;
  }
  if (g_coreType == AscendC::AIV) seen += 10000;
  EXPECT_EQ(seen, 11101);
  EXPECT_EQ(block_idx + 1, 7);
  EXPECT_EQ(GetBlockNum(), 6);
}

TEST_F(FrameRequests, TilingMacros) {
  struct Tiling {
    uint32_t n;
    struct {
      uint16_t a, b;
    } inner;
  };
  Tiling source{7, {8, 9}};
  auto* tiling = reinterpret_cast<uint8_t*>(&source);
  REGISTER_TILING_DEFAULT(Tiling);
  GET_TILING_DATA(all, tiling);
  EXPECT_EQ(all.inner.b, 9);
  GET_TILING_DATA_WITH_STRUCT(Tiling, copy, tiling);
  source.n = 70;
  EXPECT_EQ(copy.n, 7u) << "a copy, not a view";
  GET_TILING_DATA_MEMBER(Tiling, inner, inner, tiling);
  EXPECT_EQ(inner.a, 8);
  GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, view, tiling);
  EXPECT_EQ(view->n, 70u);
  EXPECT_TRUE(g_requests.empty());
  g_answer = [](Request& request) -> uint64_t { return request.op == Op::kGetInfo ? 10000000000000000021ull : 0; };
  EXPECT_TRUE(TILING_KEY_IS(10000000000000000021UL));
  EXPECT_FALSE(TILING_KEY_IS(21));
  EXPECT_TRUE(TILING_KEY_LIST(1, 10000000000000000021UL));
  g_requests.clear();
  GET_TILING_DATA_WITH_STRUCT(Tiling, none, static_cast<uint8_t*>(nullptr));
  (void)none;
  ASSERT_EQ(g_requests.size(), 1u);
  EXPECT_EQ(g_requests[0].op, Op::kTrap);
}

TEST_F(FrameRequests, AssertStopsTheCoreWithItsText) {
  std::string text;
  g_answer = [&](Request& request) -> uint64_t {
    if (request.op == Op::kTrap) text = reinterpret_cast<const char*>(request.params.frame.value[0]);
    return 0;
  };
  ascendc_assert(1 + 1 == 2, "never");
  EXPECT_TRUE(g_requests.empty());
  ascendc_assert(1 + 1 == 3, "%d of %s", 4, "five");
  EXPECT_EQ(only(__LINE__ - 1).op, Op::kTrap);
  EXPECT_EQ(text, "assertion failed: 1 + 1 == 3: 4 of five");
  assert(text.empty());
  EXPECT_EQ(only(__LINE__ - 1).op, Op::kTrap);
  EXPECT_EQ(text, "assertion failed: text.empty()");
}

TEST_F(FrameRequests, ListOfTensors) {
  int32_t first[6] = {}, second[60] = {};
  // The documented example: two tensors of shapes (1, 2, 3) and (3, 4, 5).
  std::vector<uint64_t> block = {72, 3, 1, 2, 3, 3 | (uint64_t{1} << 32), 3, 4, 5};
  block.push_back(reinterpret_cast<uint64_t>(first));
  block.push_back(reinterpret_cast<uint64_t>(second));
  ListTensorDesc list(block.data());
  ASSERT_EQ(list.GetSize(), 2u);
  EXPECT_EQ(list.GetDataPtr<int32_t>(1), second);
  uint64_t shape[8] = {};
  TensorDesc<int32_t> desc;
  desc.SetShapeAddr(shape);
  list.GetDesc(desc, 1);
  EXPECT_EQ(desc.GetDim(), 3u);
  EXPECT_EQ(desc.GetIndex(), 1u);
  EXPECT_EQ(desc.GetShape(1), 4u);
  EXPECT_EQ(desc.GetDataPtr(), second);
  EXPECT_EQ(desc.GetDataObj().GetSize(), 60u);
  EXPECT_TRUE(g_requests.empty());
  EXPECT_EQ(list.GetDataPtr<int32_t>(2), nullptr);
  ASSERT_EQ(g_requests.size(), 1u);
  EXPECT_EQ(g_requests[0].op, Op::kTrap);
}

}  // namespace
