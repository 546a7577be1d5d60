#include "check/flags.h"

namespace ascsan::check {
namespace {
using event::Kind;
using gate::Op;

/// Sets the framework takes back by itself when its object ends.
bool framework_set(Op op) {
  return op == Op::kPipeInit || op == Op::kQueueFree;
}
const char* api_or(Op op, const char* otherwise) {
  const char* api = event::api_name(op);
  return api[0] != '\0' ? api : otherwise;
}
}  // namespace

void FlagChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      findings_.on_event(event);
      flags_.clear();
      flags_.resize(findings_.cores().total());
      return;
    case Kind::kLaunchEnd:
      end(event);
      return findings_.on_event(event);
    case Kind::kSetFlag:  // higher ids stand for unit flags of L0C, which wait by themselves
      if (event.id < static_cast<int16_t>(kIds)) set(event);
      return;
    case Kind::kWaitFlag:
      if (event.id < static_cast<int16_t>(kIds)) wait(event);
      return;
    case Kind::kQueueStep:
      if (event.op == Op::kEventAlloc || event.op == Op::kEventFetch || event.op == Op::kEventRelease) id_step(event);
      return;
    default:
      return;
  }
}

FlagChecker::Flag& FlagChecker::at(const Key& key) {
  const size_t pair = static_cast<size_t>(key.src) * gate::kPipeCount + static_cast<size_t>(key.dst);
  std::vector<std::unique_ptr<Flag>>& of_core = flags_.at(key.core);
  if (of_core.empty()) of_core.resize(kPerCore);
  std::unique_ptr<Flag>& flag = of_core.at(pair * kIds + static_cast<size_t>(key.id) % kIds);
  if (!flag) flag = std::make_unique<Flag>();
  return *flag;
}

template <typename Visit>
void FlagChecker::each(Visit&& visit) {
  for (size_t core = 0; core < flags_.size(); ++core) {
    for (size_t i = 0; i < flags_[core].size(); ++i) {
      if (!flags_[core][i]) continue;
      const size_t pair = i / kIds;
      visit(Key{static_cast<event::CoreId>(core), static_cast<gate::Pipe>(pair / gate::kPipeCount),
                static_cast<gate::Pipe>(pair % gate::kPipeCount), static_cast<int>(i % kIds)},
            *flags_[core][i]);
    }
  }
}

std::string FlagChecker::flag_name(const Key& key) const {
  return std::string(event::pipe_name(key.src)) + "_" + event::pipe_name(key.dst) + " (id " + std::to_string(key.id) +
         ")";
}

void FlagChecker::set(const event::Event& event) {
  const Key key{event.core, event.pipe, event.other, event.id};
  Flag& flag = at(key);
  const Step now{event.site, event.program_index, event.index, event.op != Op::kNop ? event.op : Op::kSetFlag};
  // A wait that was issued after this set has taken the one before: nothing took that one in between. Sets of framework
  // objects have program indices of their own calls, so this holds for them as well.
  const bool lost = flag.sets.empty() && flag.last_set.program != 0 && flag.last_wait.program > now.program;
  if (lost) {
    twice(key, flag, flag.last_set, now, &flag.last_wait);
    ++flag.absorbed;
  } else {
    flag.sets.push_back(now);
    if (flag.sets.size() > 64) flag.sets.erase(flag.sets.begin());  // only a broken kernel piles up that many
  }
  flag.last_set = now;
}

void FlagChecker::wait(const event::Event& event) {
  const Key key{event.core, event.other, event.pipe, event.id};
  Flag& flag = at(key);
  const Step now{event.site, event.program_index, event.index, event.op != Op::kNop ? event.op : Op::kWaitFlag};
  if (flag.absorbed > 0 && (flag.sets.empty() || flag.sets.front().program > now.program)) {
    --flag.absorbed;
    return;
  }
  flag.last_wait = now;
  if (flag.sets.empty()) return;
  Step taken = flag.sets.front();
  flag.sets.erase(flag.sets.begin());
  while (!flag.sets.empty() && flag.sets.front().program < now.program) {
    twice(key, flag, taken, flag.sets.front(), &now);
    taken = flag.sets.front();
    flag.sets.erase(flag.sets.begin());
    ++flag.absorbed;
  }
}

void FlagChecker::twice(const Key& key, const Flag& flag, const Step& first, const Step& second, const Step* wait) {
  const bool reused = flag.handed_out && flag.handout.program > first.program && flag.handout.program <= second.program;
  Usage usage;
  usage.rule = reused ? Rule::kASC4106 : Rule::kASC4102;
  usage.title = "flag " + flag_name(key) + " is set by " + api_or(first.op, "SetFlag") + " and again by " +
                api_or(second.op, "SetFlag") + " before a wait has taken the first set";
  usage.detail = findings_.name(key.core) + " sets the flag at " + findings_.where(first.site) + " and at " +
                 findings_.where(second.site) +
                 ". A flag is one bit: the second set finds it set already, so two sets " + "let only one wait pass" +
                 (wait != nullptr ? "; the next wait stands at " + findings_.where(wait->site) : "; no wait follows") +
                 ".";
  usage.places = {place("set again", key, key.src, second), place("first set", key, key.src, first)};
  if (wait != nullptr) usage.places.push_back(place("wait", key, key.dst, *wait));
  if (reused) {
    usage.places.push_back(place("handout", key, gate::Pipe::kS, flag.handout));
    usage.notes.push_back(std::string(api_or(flag.handout.op, "AllocEventID")) + " gave out id " +
                          std::to_string(key.id) + " at " + findings_.where(flag.handout.site) +
                          " while it was still in use" +
                          (flag.handout.op == Op::kEventFetch
                               ? "; FetchEventID does not reserve an id, so set and wait must stand next to each other"
                               : "; release an id only after its last WaitFlag"));
  } else if (first.op == Op::kSetFlag && second.op != Op::kSetFlag) {
    usage.notes.push_back("the first id was chosen by hand, the second one by a queue; take ids from AllocEventID");
  }
  findings_.add(usage);
}

void FlagChecker::id_step(const event::Event& event) {
  const Key key{event.core, event.pipe, event.other, event.id};
  const Step now{event.site, event.program_index, event.index, event.op};
  if (event.id < 0) {
    Usage usage;
    usage.rule = Rule::kASC4104;
    usage.title = std::string("no event id of ") + event::pipe_name(event.pipe) + "_" + event::pipe_name(event.other) +
                  " is free for " + event::api_name(event.op);
    usage.detail = "All eight ids are allocated on " + findings_.name(event.core) +
                   ", by AllocEventID or by tensors in queues. Release one with ReleaseEventID before, or share one.";
    usage.places = {place("call", key, gate::Pipe::kS, now)};
    findings_.add(usage);
    return;
  }
  Flag& flag = at(key);
  if (event.op != Op::kEventRelease) {
    flag.handed_out = true;
    flag.handout = now;
    (event.op == Op::kEventAlloc ? flag.allocated : flag.fetched) = true;
    return;
  }
  // value[0]: was it marked as taken? Queues take and release ids of the same table.
  if (event.value[0] == 0) {
    Usage usage;
    usage.rule = Rule::kASC4105;
    usage.title = "event id " + std::to_string(key.id) + " of " + event::pipe_name(key.src) + "_" +
                  event::pipe_name(key.dst) + " is released, but not allocated";
    usage.detail = findings_.name(key.core) + " releases the id at " + findings_.where(now.site) + ". " +
                   (flag.release.program != 0 ? "It was released before at " + findings_.where(flag.release.site) +
                                                    "; somebody else may have got it in between and loses it now."
                    : flag.fetched ? "It came from FetchEventID, which does not allocate."
                                   : "Nobody has allocated it; is it the id of another pair of pipes?");
    usage.places = {place("release", key, gate::Pipe::kS, now)};
    if (flag.release.program != 0) usage.places.push_back(place("earlier", key, gate::Pipe::kS, flag.release));
    const bool harmless = flag.release.program == 0 && flag.fetched;
    findings_.add(usage, harmless ? report::Severity::kWarning : report::Severity::kError);
  }
  flag.release = now;
}

void FlagChecker::end(const event::Event& event) {
  if (event.mode == 0) {  // a launch that was given up or hangs leaves flags for other reasons
    each([&](const Key& key, const Flag& flag) {
      for (size_t i = 1; i < flag.sets.size(); ++i) twice(key, flag, flag.sets[i - 1], flag.sets[i], nullptr);
      if (flag.sets.size() != 1 || framework_set(flag.sets.front().op)) return;
      const Step& left = flag.sets.front();
      Usage usage;
      usage.rule = Rule::kASC4103;
      usage.title = "flag " + flag_name(key) + " is set by " + api_or(left.op, "SetFlag") + " and never waited for";
      usage.detail =
          findings_.name(key.core) + " sets the flag at " + findings_.where(left.site) +
          ". The bit stays set when the kernel ends, and the first wait for it in the next kernel passes at once.";
      usage.places = {place("set", key, key.src, left)};
      if (flag.last_wait.program != 0) {
        usage.places.push_back(place("last wait", key, key.dst, flag.last_wait));
        usage.notes.push_back("the last wait for this flag took an earlier set; there is one set too many");
      }
      const Key other{key.core, key.dst, key.src, key.id};
      const Flag& waited = at(other);
      if (waited.last_wait.program != 0 && flag.last_wait.program == 0)
        usage.notes.push_back("the opposite direction " + flag_name(other) + " is waited for at " +
                              findings_.where(waited.last_wait.site) + "; is one of the two turned round?");
      findings_.add(usage);
    });
  }
  flags_.clear();
}

}  // namespace ascsan::check
