// Looks for a witness of a race: the pair is run in the order it did not have (schedule/directed.h), and the outputs
// are compared with those of the in-order run of the same input. First with everything else as early as possible, then
// as late as possible: one forced choice, at most two directed runs. When no output changes the race stays "certain".
#pragma once

#include <string>
#include <vector>

#include "report/experiments.h"
#include "report/token.h"
#include "run/lab.h"

namespace ascsan::run {

using report::WitnessAnswer;
using report::WitnessWish;

schedule::Point point_of(const report::AccessKey& key);

/// A directed schedule from forced choices. `base` is in_order or deferred.
std::unique_ptr<machine::Scheduler> make_directed(const std::string& base,
                                                  const std::vector<report::ForcedChoice>& choices);

class WitnessSearch {
 public:
  /// `token` holds what all tokens of this process share: program, arguments, options.
  WitnessSearch(Lab& lab, report::ReplayToken token) : lab_(lab), token_(std::move(token)) {}
  WitnessAnswer find(const WitnessWish& wish);

 private:
  const RunOutcome& in_order(const WitnessWish& wish);
  void tell(const RunOutcome& reference, const RunOutcome& got, const report::ForcedChoice& choice,
            WitnessAnswer& answer) const;

  Lab& lab_;
  report::ReplayToken token_;
  RunOutcome reference_;
  ByteRun common_;
};

}  // namespace ascsan::run
