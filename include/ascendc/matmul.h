// The high-level Matmul as kernels write it: MatmulImpl runs on the AIC that calls it; on an AIV every method does
// nothing (spec/execution-model.md 5.7, pure-cube build). `Matmul` on an AIV of a mixed kernel would send messages to
// the AIC: that is not modelled and is reported, unless ASCENDC_CUBE_ONLY says that only the AIC computes.
#pragma once

#include "ascendc/matmul_engine.h"
#include "ascendc/pipe.h"

namespace AscendC {

namespace matmul_detail {

inline bool on_aiv() {
  return detail::core_info(Info::kCoreKind) == static_cast<uint64_t>(ascsan::gate::CoreKind::kAiv);
}

constexpr const MatmulConfig& config_of(const MatmulConfig& config) {
  return config;
}
constexpr const MatmulConfig& config_of(const MatmulApiStaticTiling& tiling) {
  return tiling.cfg;
}

/// Values fixed at compile time win over the run-time tiling.
inline void apply_static(TCubeTiling&, const MatmulConfig&) {}
inline void apply_static(TCubeTiling& tiling, const MatmulApiStaticTiling& fixed) {
  const auto take = [](int32_t& to, int32_t value) { to = value > 0 ? value : to; };
  take(tiling.singleCoreM, fixed.singleCoreM), take(tiling.singleCoreN, fixed.singleCoreN);
  take(tiling.singleCoreK, fixed.singleCoreK);
  take(tiling.baseM, fixed.baseM), take(tiling.baseN, fixed.baseN), take(tiling.baseK, fixed.baseK);
}

}  // namespace matmul_detail

/// C = A * B (+ bias). Types: half, bfloat16_t, float with float accumulation, int8_t with int32_t; C half, bfloat16_t,
/// float, int32_t or int8_t (quantised). A, B, C in ND or NZ.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>>
class MatmulImpl {
 public:
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using AType = A_TYPE;
  using BType = B_TYPE;
  using CType = C_TYPE;
  using BiasType = BIAS_TYPE;
  static_assert(std::is_same_v<SrcAT, SrcBT>, "Matmul: A and B must have the same element type");
  static_assert(std::is_same_v<SrcAT, half> || std::is_same_v<SrcAT, bfloat16_t> || std::is_same_v<SrcAT, float> ||
                    std::is_same_v<SrcAT, int8_t>,
                "Matmul: A and B are half, bfloat16_t, float or int8_t");

  MatmulImpl() {
    engine_.job.types = {data_type_of<SrcAT>(), data_type_of<DstT>(), data_type_of<BiasT>()};
    engine_.job.a.nz = A_TYPE::format == CubeFormat::NZ, engine_.job.a.transposed = A_TYPE::isTrans;
    engine_.job.b.nz = B_TYPE::format == CubeFormat::NZ, engine_.job.b.transposed = B_TYPE::isTrans;
    engine_.job.c_is_nz = C_TYPE::format == CubeFormat::NZ;
    engine_.job.relu = matmul_detail::config_of(MM_CFG).enableRelu;
    engine_.job.channel_split = matmul_detail::config_of(MM_CFG).isEnableChannelSplit;
  }

  void Init(const TCubeTiling* cubeTiling, TPipe* = nullptr, Site site = ASCSAN_HERE) {
    if (matmul_detail::on_aiv()) return;
    if (MM_CB::used) detail::unsupported("Matmul with user functions (MatmulCallBackFunc)", site);
    if (matmul_detail::config_of(MM_CFG).isPartialOutput) detail::unsupported("Matmul with isPartialOutput", site);
    TCubeTiling tiling = cubeTiling != nullptr ? *cubeTiling : TCubeTiling{};
    matmul_detail::apply_static(tiling, MM_CFG);
    engine_.init(tiling, tiling.isBias != 0, site);
  }

  /// Whole matrices in GM, in elements; orgKc: columns of C when they are not those of B.
  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK, 0); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    matmul_detail::Job& job = engine_.job;
    job.org_m = static_cast<uint32_t>(orgM), job.org_n = static_cast<uint32_t>(orgN);
    job.org_ka = static_cast<uint32_t>(orgKa), job.org_kb = static_cast<uint32_t>(orgKb);
    job.org_kc = static_cast<uint32_t>(orgKc);
  }
  /// Extents of the product to compute next.
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    matmul_detail::Job& job = engine_.job;
    if (tailM != -1) job.single_m = static_cast<uint32_t>(tailM);
    if (tailN != -1) job.single_n = static_cast<uint32_t>(tailN);
    if (tailK != -1) job.single_k = static_cast<uint32_t>(tailK);
    engine_.restart();
  }

  void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false) {
    engine_.job.a.tensor = gm.operand(), engine_.job.a.transposed = isTransposeA;
    engine_.restart();
  }
  void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false) {
    engine_.job.b.tensor = gm.operand(), engine_.job.b.transposed = isTransposeB;
    engine_.restart();
  }
  void SetTensorA(const LocalTensor<SrcAT>&, bool = false, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetTensorA(LocalTensor)", site);
  }
  void SetTensorB(const LocalTensor<SrcBT>&, bool = false, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetTensorB(LocalTensor)", site);
  }
  void SetTensorA(SrcAT, Site site = ASCSAN_HERE) { detail::unsupported("Matmul::SetTensorA(scalar)", site); }
  void SetTensorB(SrcBT, Site site = ASCSAN_HERE) { detail::unsupported("Matmul::SetTensorB(scalar)", site); }

  void SetBias(const GlobalTensor<BiasT>& bias, Site site = ASCSAN_HERE) {
    engine_.job.bias = bias.operand(), engine_.job.with_bias = true;
    if (engine_.ready() && engine_.plan().base_n * 4 > matmul_detail::kBtBytes) {
      detail::unsupported("Matmul: a bias of baseN values does not fit the 1024 bytes of BT", site);
      engine_.job.with_bias = false;
    }
  }
  void SetBias(const LocalTensor<BiasT>&, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetBias(LocalTensor)", site);
  }
  void DisableBias() { engine_.job.with_bias = false; }
  void ClearBias() { engine_.job.with_bias = false; }

  /// Scale word of the whole output (spec/fp.md 6).
  void SetQuantScalar(uint64_t scalar) { engine_.job.scale = scalar, engine_.job.with_table = false; }
  /// Scale words, one a column.
  void SetQuantVector(const GlobalTensor<uint64_t>& table) {
    engine_.job.table = table.operand(), engine_.job.with_table = true;
  }
  void SetQuantVector(const LocalTensor<uint64_t>&, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetQuantVector(LocalTensor)", site);
  }

  void SetHF32(bool enableHF32 = false, int32_t transMode = 0, Site site = ASCSAN_HERE) {
    if (matmul_detail::on_aiv()) return;
    detail::set_hf32(0, enableHF32, site);
    detail::set_hf32(1, transMode != 0, site);
  }
  void SetSubBlockIdx(uint8_t index) { sub_block_ = index; }
  uint8_t GetSubBlockIdx() const { return sub_block_; }

  /// Computes the next tile of baseM x baseN; false when all are done. enPartialSum adds to what L0C holds.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, Site site = ASCSAN_HERE) {
    return !matmul_detail::on_aiv() && engine_.iterate(enPartialSum, nullptr, site);
  }
  /// The same into L0C memory of the user, who moves it out himself.
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, Site site = ASCSAN_HERE) {
    return !matmul_detail::on_aiv() && engine_.iterate(enPartialSum, &localCmatrix.operand(), site);
  }
  /// Stores the tile of the last Iterate. enAtomic: 0 plain, 1 add, 2 max, 3 min. enSequentialWrite: the tile alone,
  /// tight, at `gm`; else at its place in C.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  Site site = ASCSAN_HERE) {
    if (!matmul_detail::on_aiv()) engine_.store_tile(gm.operand(), enAtomic, enSequentialWrite, site);
  }
  template <bool sync = true>
  void GetTensorC(const LocalTensor<DstT>&, uint8_t = 0, bool = false, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::GetTensorC(LocalTensor)", site);
  }
  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false, bool = false,
                  bool = false, Site site = ASCSAN_HERE) {
    if (!matmul_detail::on_aiv()) engine_.iterate_all(gm.operand(), enAtomic, enSequentialWrite, site);
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<DstT>&, uint8_t = 0, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::IterateAll(LocalTensor)", site);
  }

  /// Results that wait in a workspace: the message-driven form only.
  template <bool sync = true>
  GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::GetTensorC() from the workspace", site);
    return {};
  }
  void AsyncGetTensorC(const LocalTensor<DstT>&, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::AsyncGetTensorC", site);
  }
  void WaitGetTensorC() {}
  void SetAntiQuantScalar(SrcBT, SrcBT, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetAntiQuantScalar", site);
  }
  void SetAntiQuantVector(const LocalTensor<SrcBT>&, const LocalTensor<SrcBT>&, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetAntiQuantVector", site);
  }
  void SetSparseIndex(const GlobalTensor<uint8_t>&, Site site = ASCSAN_HERE) {
    detail::unsupported("Matmul::SetSparseIndex", site);
  }

  /// Every call leaves its flags balanced, so there is nothing to wait for.
  void WaitIterateAll() {}
  void End() { engine_.restart(); }

  // Settings of the message-driven form; without effect when the AIC computes itself.
  void SetWorkspace(GlobalTensor<uint8_t>&) {}
  void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
  template <typename T>
  void SetWorkspace(const T*, int) {}
  void SetBatchNum(int, int) {}
  void WaitIterateBatch() {}
  void SetUserDefInfo(uint64_t) {}
  void SetSelfDefineData(uint64_t) {}

  template <typename... Args>
  void IterateBatch(const Args&...) {
    detail::unsupported("Matmul::IterateBatch", {});
  }
  template <typename... Args>
  void GetBatchTensorC(const Args&...) {
    detail::unsupported("Matmul::GetBatchTensorC", {});
  }
  template <typename... Args>
  void IterateNBatch(const Args&...) {
    detail::unsupported("Matmul::IterateNBatch", {});
  }

 private:
  matmul_detail::Engine engine_;
  uint8_t sub_block_ = 0;
};

/// The object users declare. In a pure-cube build, and on the AIC, it computes itself.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>>
class Matmul : public MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB> {
  using Base = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
  using DstT = typename C_TYPE::T;

 public:
  template <bool sync = true, typename... Args>
  bool Iterate(bool enPartialSum = false, Site site = ASCSAN_HERE) {
    return !message_driven("Matmul::Iterate on an AIV (message to the AIC)", site) &&
           Base::template Iterate<sync>(enPartialSum, site);
  }
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, Site site = ASCSAN_HERE) {
    return !message_driven("Matmul::Iterate on an AIV (message to the AIC)", site) &&
           Base::template Iterate<sync>(enPartialSum, localCmatrix, site);
  }
  template <bool sync = true, typename Tensor>
  void IterateAll(const Tensor& c, uint8_t enAtomic = 0, bool enSequentialWrite = false, bool waitIterateAll = false,
                  bool fakeMsg = false, Site site = ASCSAN_HERE) {
    if (message_driven("Matmul::IterateAll on an AIV (message to the AIC)", site)) return;
    if constexpr (std::is_same_v<Tensor, GlobalTensor<DstT>>) {
      Base::template IterateAll<sync>(c, enAtomic, enSequentialWrite, waitIterateAll, fakeMsg, site);
    } else {
      Base::template IterateAll<sync>(c, enAtomic, site);
    }
  }

 private:
  static bool message_driven(const char* what, const Site& site) {
#ifdef ASCENDC_CUBE_ONLY
    (void)what, (void)site;
    return false;
#else
    if (!matmul_detail::on_aiv()) return false;
    detail::unsupported(what, site);
    return true;
#endif
  }
};

namespace matmul_detail {
template <class M>
void regist_one(TPipe* pipe, M& object, const TCubeTiling* tiling, const Site& site) {
  object.SetSubBlockIdx(0);
  if (tiling != nullptr) object.Init(tiling, pipe, site);
}
template <class M>
void regist(TPipe* pipe, const Site& site, M& object) {
  regist_one(pipe, object, nullptr, site);
}
template <class M, class... Rest>
void regist(TPipe* pipe, const Site& site, M& object, const TCubeTiling* tiling, Rest&&... rest) {
  regist_one(pipe, object, tiling, site);
  if constexpr (sizeof...(Rest) > 0) regist(pipe, site, rest...);
}
}  // namespace matmul_detail

}  // namespace AscendC

/// Objects and their tilings in turn. In a mixed kernel the AIC serves messages of its AIVs from here on and never
/// comes back to user code; that form is not modelled, so it is reported and the AIC leaves the function.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  ((void)(workspace), ::AscendC::matmul_detail::regist(tpipe, ASCSAN_HERE, __VA_ARGS__))
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                        \
  (void)(workspace);                                                                    \
  ::AscendC::matmul_detail::regist(tpipe, ASCSAN_HERE, __VA_ARGS__);                    \
  if (!::AscendC::matmul_detail::on_aiv()) {                                            \
    ::AscendC::detail::unsupported(                                                     \
        "REGIST_MATMUL_OBJ in a mixed kernel (AIC serves messages of its AIVs; define " \
        "ASCENDC_CUBE_ONLY if the AIC computes itself)",                                \
        ASCSAN_HERE);                                                                   \
    return;                                                                             \
  }
#endif

namespace matmul = AscendC;
