#include "check/cache_line.h"

#include <algorithm>

namespace ascsan::check {
namespace {
using event::CoreId;
using event::Kind;
using gate::Op;
using gate::Pipe;
using gate::Space;

uint64_t bits_of_bytes(uint64_t line, uint64_t begin, uint64_t end) {
  uint64_t bits = 0;
  for (uint64_t byte = std::max(line, begin); byte < std::min(line + 64, end); ++byte)
    bits |= uint64_t{1} << (byte - line);
  return bits;
}
}  // namespace

void CacheChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      findings_.on_event(event);
      lines_.assign(findings_.cores().total(), {});
      stored_lines_.clear();
      return;
    case Kind::kLaunchEnd:
      findings_.on_event(event);
      lines_.clear();
      stored_lines_.clear();
      return;
    case Kind::kCacheStep:
      return step(event);
    case Kind::kScalarAccess:
      if (event.access_count != 1 || event.accesses[0].space != Space::kGm) return;
      if (event.mode == 1) cached(event);
      access(event, event.accesses[0], event.mode == 1);
      return;
    case Kind::kInstruction:
      if (stored_lines_.empty()) return;
      for (uint32_t i = 0; i < event.access_count; ++i)
        if (event.accesses[i].space == Space::kGm) access(event, event.accesses[i], false);
      return;
    default:
      return;
  }
}

CacheChecker::Knowledge CacheChecker::knowledge(const event::Event& event) const {
  return {event.core, order_.start_clock(), order_.remote_of(event.core, order_.start_clock())};
}

void CacheChecker::step(const event::Event& event) {
  if (event.core >= lines_.size()) return;
  Line& line = lines_[event.core][event.spans[0].begin / kLine];
  if (event.mode == 0) {
    line.filled = line.fresh = true;  // the access that caused it follows at once and says what the core knows
    line.own_bytes = 0;
  } else if (event.mode == 1) {
    if (!line.windows.empty() && line.windows.back().clean == 0) line.windows.back().clean = std::max(1u, event.index);
  } else {
    line.filled = false;
  }
}

/// A load or store through the cache: what it fills, what it finds, what it makes dirty.
void CacheChecker::cached(const event::Event& event) {
  const event::Span span = event.spans[event.accesses[0].first_span];
  const bool store = event::writes(event.accesses[0].role);
  for (uint64_t number = span.begin / kLine; number * kLine < span.end; ++number) {
    Line& line = lines_[event.core][number];
    if (line.fresh || !line.filled) {
      line.filled = true;
      line.fresh = false;
      line.at_fill = knowledge(event);
      line.fill_site = event.site;
      line.fill_index = event.index;
    } else if (!store) {
      stale(event, line, std::max(span.begin, number * kLine), std::min(span.end, (number + 1) * kLine));
    }
    if (!store) continue;
    line.own_bytes |= bits_of_bytes(number * kLine, span.begin, span.end);
    if (line.windows.empty() || line.windows.back().clean != 0) {
      if (line.windows.size() >= kWindowsKept) line.windows.erase(line.windows.begin());
      line.windows.push_back({event.index, event.index, 0, place_of("store", event, event.op)});
      open_window(event, line, number * kLine);
      std::vector<CoreId>& cores = stored_lines_[number];
      if (std::find(cores.begin(), cores.end(), event.core) == cores.end()) cores.push_back(event.core);
    }
    line.windows.back().last = event.index;
  }
}

const CacheChecker::Window* CacheChecker::window_of(const Line& line, uint32_t store) {
  for (auto window = line.windows.rbegin(); window != line.windows.rend(); ++window)
    if (window->first <= store) return store <= window->last ? &*window : nullptr;
  return nullptr;
}

/// Load from a line filled earlier: had every write that the load must see arrived before the fill?
void CacheChecker::stale(const event::Event& event, const Line& line, uint64_t begin, uint64_t end) {
  race_.visit_writers(begin, end, [&](const Access& writer, uint64_t from, uint64_t to) {
    if (cached_store(writer) && writer.core == event.core) return;
    if (line.at_fill.knows(writer.core, writer.pipe, writer.index)) return;
    if (!order_.ordered_before(writer.core, writer.pipe, writer.index, event.core, order_.start_clock()))
      return;  // a race
    if ((bits_of_bytes(from / kLine * kLine, from, to) & ~line.own_bytes) == 0) return;
    const Place filled{"filled", line.fill_site, event.core, Pipe::kS, Op::kLoadScalar, line.fill_index};
    report(Rule::kASC6101, event, place_of_access("writer", writer), "reader", from,
           " is read from a cached line that may be older than the write",
           "The line was filled at " + findings_.where(line.fill_site) + ", when nothing made sure that " +
               findings_.name(writer.core) + " had written it (" + findings_.where(writer.site) +
               "). The write comes before this load, but a cached line does not change: call DataCacheCleanAndInvalid "
               "between them.",
           &filled);
  });
}

/// First store into a line: does it hold old copies of bytes that others have written or are going to?
void CacheChecker::open_window(const event::Event& event, Line& line, uint64_t address) {
  const uint64_t mine = bits_of_bytes(address, event.spans[event.accesses[0].first_span].begin,
                                      event.spans[event.accesses[0].first_span].end);
  race_.visit_writers(address, address + kLine, [&](const Access& writer, uint64_t from, uint64_t to) {
    if ((bits_of_bytes(address, from, to) & ~mine) == 0) return;  // the store itself, or an access it replaces
    if (!cached_store(writer)) {
      if (line.at_fill.knows(writer.core, writer.pipe, writer.index)) return;
      const Place filled{"filled", line.fill_site, event.core, Pipe::kS, Op::kLoadScalar, line.fill_index};
      return report(
          Rule::kASC6102, event, place_of_access("writer", writer), "store", from,
          " may be overwritten with old bytes of a cached line",
          "The line was filled at " + findings_.where(line.fill_site) + ", when nothing made sure that the write at " +
              findings_.where(writer.site) +
              " had arrived; it goes back to memory whole. Call DataCacheCleanAndInvalid before the store, or "
              "keep 64 bytes apart.",
          &filled);
    }
    if (writer.core == event.core || writer.core >= lines_.size()) return;
    const auto theirs = lines_[writer.core].find(address / kLine);
    const Window* window = theirs == lines_[writer.core].end() ? nullptr : window_of(theirs->second, writer.index);
    if (window == nullptr) return;
    if (window->clean != 0 && line.at_fill.knows(writer.core, Pipe::kS, window->clean)) return;
    report(
        Rule::kASC6103, event, place_of_access("store", writer), "store", from,
        ": two cores store to the same 64-byte line through their caches",
        findings_.name(event.core) + " and " + findings_.name(writer.core) +
            " both hold the line; each writes it back whole, so one takes the other's bytes away. Give each core 64 "
            "bytes "
            "of its own, or let the first call DataCacheCleanAndInvalid and signal before the second touches the line.",
        nullptr);
  });
}

void CacheChecker::access(const event::Event& event, const event::Access& access, bool through_cache) {
  if (stored_lines_.empty()) return;
  for (uint32_t i = 0; i < access.span_count; ++i) {
    const event::Span span = event.spans[access.first_span + i];
    if (span.begin >= span.end) continue;
    auto next = stored_lines_.lower_bound(span.begin / kLine);
    if (next == stored_lines_.end() || next->first * kLine >= span.end) continue;
    if (event::writes(access.role)) over_windows(event, span.begin, span.end, through_cache);
    if (event::reads(access.role)) not_written_back(event, span.begin, span.end);
  }
}

/// A read of bytes whose last writer left them in its data cache.
void CacheChecker::not_written_back(const event::Event& event, uint64_t begin, uint64_t end) {
  for (auto line = stored_lines_.lower_bound(begin / kLine); line != stored_lines_.end() && line->first * kLine < end;
       ++line) {
    const uint64_t from = std::max(begin, line->first * kLine), to = std::min(end, (line->first + 1) * kLine);
    race_.visit_writers(from, to, [&](const Access& writer, uint64_t at, uint64_t) {
      if (!cached_store(writer) || writer.core >= lines_.size()) return;
      if (writer.core == event.core && event.pipe == Pipe::kS && event.mode == 1) return;  // the same cache
      if (!order_.ordered_before(writer.core, writer.pipe, writer.index, event.core, order_.start_clock())) return;
      const auto theirs = lines_[writer.core].find(line->first);
      const Window* window = theirs == lines_[writer.core].end() ? nullptr : window_of(theirs->second, writer.index);
      if (window == nullptr) return;
      if (window->clean != 0 &&
          order_.ordered_before(writer.core, Pipe::kS, window->clean, event.core, order_.start_clock()))
        return;
      report(Rule::kASC6102, event, place_of_access("writer", writer), "reader", at,
             " is read from memory while the scalar store may still be in the data cache",
             "SetValue at " + findings_.where(writer.site) + " leaves its value in the cache of " +
                 findings_.name(writer.core) +
                 "; nothing writes the line back before this read. Call DataCacheCleanAndInvalid after the store and "
                 "before the signal.",
             nullptr);
    });
  }
}

/// A write to a line that some core holds dirty: its write-back may come later and bring the old bytes back.
void CacheChecker::over_windows(const event::Event& event, uint64_t begin, uint64_t end, bool through_cache) {
  for (auto stored = stored_lines_.lower_bound(begin / kLine);
       stored != stored_lines_.end() && stored->first * kLine < end; ++stored) {
    for (CoreId core : stored->second) {
      if (through_cache && core == event.core) continue;
      const auto theirs = lines_[core].find(stored->first);
      if (theirs == lines_[core].end() || theirs->second.windows.empty()) continue;
      const Window& window = theirs->second.windows.back();
      if (through_cache) continue;  // two stores through caches meet in open_window, whoever comes second
      if (window.clean != 0 && order_.ordered_before(core, Pipe::kS, window.clean, event.core, order_.start_clock()))
        continue;
      report(Rule::kASC6102, event, {"store", window.store.site, core, Pipe::kS, Op::kStoreScalar, window.store.index},
             "writer", std::max(begin, stored->first * kLine), " may be overwritten with old bytes of a cached line",
             findings_.name(core) + " has stored into the same 64-byte line at " + findings_.where(window.store.site) +
                 " and writes the line back whole, at DataCacheCleanAndInvalid or any time before. Nothing makes sure "
                 "that "
                 "this happens before the write at " +
                 findings_.where(event.site) + ".",
             nullptr);
    }
  }
}

void CacheChecker::report(Rule rule, const event::Event& event, const Place& other, const char* my_role,
                          uint64_t address, const std::string& title, const std::string& detail, const Place* third) {
  const Object& object = race_.object_at(address);
  Usage usage;
  usage.rule = rule;
  usage.object = object.name;
  usage.space = "GM";
  usage.begin = address - object.begin;
  usage.end = usage.begin + 1;
  usage.title = object.name + title;
  usage.detail = detail;
  const Place mine = place_of(my_role, event, event.op);
  usage.places = {mine, other};
  // The report must not hang on who came first: the store into the line leads; of two such stores, the one of the lower
  // place.
  const bool turned = rule == Rule::kASC6103 ? std::make_pair(findings_.where(other.site), other.core) <
                                                   std::make_pair(findings_.where(mine.site), mine.core)
                                             : rule == Rule::kASC6102 && other.op == Op::kStoreScalar;
  if (turned) std::swap(usage.places[0], usage.places[1]);
  if (third != nullptr) usage.places.push_back(*third);
  findings_.add(usage);
}

}  // namespace ascsan::check
