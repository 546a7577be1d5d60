// Vector APIs that exist on other chips only. Calling one makes the verdict of the run incomplete, with its name.
// Rules: spec/api-semantics.md 2 (last row), 5. Left out: values; nothing is computed.
#pragma once

#include "ascendc/vec_request.h"

namespace AscendC {

#define ASCSAN_UNSUPPORTED(api)                                                                                       \
  template <typename... Template, typename A, typename B>                                                             \
  void api(const A&, const B&, Site site = ASCSAN_HERE) {                                                             \
    detail::unsupported(#api, site);                                                                                  \
  }                                                                                                                   \
  template <typename... Template, typename A, typename B, typename C>                                                 \
  void api(const A&, const B&, const C&, Site site = ASCSAN_HERE) {                                                   \
    detail::unsupported(#api, site);                                                                                  \
  }                                                                                                                   \
  template <typename... Template, typename A, typename B, typename C, typename D>                                     \
  void api(const A&, const B&, const C&, const D&, Site site = ASCSAN_HERE) {                                         \
    detail::unsupported(#api, site);                                                                                  \
  }                                                                                                                   \
  template <typename... Template, typename A, typename B, typename C, typename D, typename E>                         \
  void api(const A&, const B&, const C&, const D&, const E&, Site site = ASCSAN_HERE) {                               \
    detail::unsupported(#api, site);                                                                                  \
  }                                                                                                                   \
  template <typename... Template, typename A, typename B, typename C, typename D, typename E, typename F>             \
  void api(const A&, const B&, const C&, const D&, const E&, const F&, Site site = ASCSAN_HERE) {                     \
    detail::unsupported(#api, site);                                                                                  \
  }                                                                                                                   \
  template <typename... Template, typename A, typename B, typename C, typename D, typename E, typename F, typename G> \
  void api(const A&, const B&, const C&, const D&, const E&, const F&, const G&, Site site = ASCSAN_HERE) {           \
    detail::unsupported(#api, site);                                                                                  \
  }

ASCSAN_UNSUPPORTED(Subs)
ASCSAN_UNSUPPORTED(Divs)
ASCSAN_UNSUPPORTED(Ands)
ASCSAN_UNSUPPORTED(Ors)
ASCSAN_UNSUPPORTED(Neg)
ASCSAN_UNSUPPORTED(Prelu)
ASCSAN_UNSUPPORTED(Mull)
ASCSAN_UNSUPPORTED(AbsSub)
ASCSAN_UNSUPPORTED(ExpSub)
ASCSAN_UNSUPPORTED(MulsCast)
ASCSAN_UNSUPPORTED(Interleave)
ASCSAN_UNSUPPORTED(DeInterleave)
ASCSAN_UNSUPPORTED(Truncate)
ASCSAN_UNSUPPORTED(VectorPadding)
ASCSAN_UNSUPPORTED(Scatter)
ASCSAN_UNSUPPORTED(BilinearInterpolation)
ASCSAN_UNSUPPORTED(ProposalConcat)
ASCSAN_UNSUPPORTED(ProposalExtract)
ASCSAN_UNSUPPORTED(RpSort16)
ASCSAN_UNSUPPORTED(MrgSort4)
#undef ASCSAN_UNSUPPORTED

}  // namespace AscendC
