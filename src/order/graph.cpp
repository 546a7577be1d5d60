#include "order/graph.h"

#include <algorithm>

namespace ascsan::order {
namespace {
using event::Event;
using event::Kind;
using gate::Pipe;

bool is_join(const Event& event) {
  return event.kind == Kind::kFullBarrier || event.kind == Kind::kCrossWait || event.kind == Kind::kGroupPass ||
         (event.kind == Kind::kWaitFlag && event.pipe == Pipe::kS);
}
bool in_pipe(const Event& event) {
  switch (event.kind) {
    case Kind::kSetFlag:
    case Kind::kWaitFlag:
      return event.pipe != Pipe::kS;
    case Kind::kPipeBarrier:
    case Kind::kCrossSet:
      return true;
    default:
      return false;
  }
}
}  // namespace

void Graph::add(const Event& event) {
  switch (event.kind) {
    case Kind::kInstruction:
    case Kind::kScalarAccess: {
      Data data{event.core, event.pipe, event.index, event.scalar_version, event.scalar_index, node(), 0};
      data.done = event.kind == Kind::kScalarAccess ? data.start : node();
      if (event.kind == Kind::kScalarAccess) {
        data.version = join_count_[event.core];
        stores_[{event.core, event.index}] = node();
      } else {
        edge(data.start, data.done);
      }
      polled_edges(event, data);
      by_index_[{event.core, event.pipe, event.index}] = data_.size();
      data_.push_back(data);
      return;
    }
    case Kind::kSetFlag:
    case Kind::kWaitFlag:
    case Kind::kPipeBarrier:
    case Kind::kFullBarrier:
    case Kind::kCrossSet:
    case Kind::kCrossRelease:
    case Kind::kCrossWait:
    case Kind::kGroupArrive:
    case Kind::kGroupPass: {
      Sync sync;
      sync.event = event;
      sync.members.assign(event.members, event.members + event.member_count);
      sync.targets.assign(event.targets, event.targets + event.target_count);
      sync.node = node();
      sync.arrival = syncs_.size();
      if (is_join(event)) {
        sync.join = ++join_count_[event.core];
        joins_[event.core].push_back(sync.node);
      }
      syncs_.push_back(sync);
      return;
    }
    default:
      return;
  }
}

/// R-30, past the caches only: a load meets the newest store of its word.
void Graph::polled_edges(const Event& event, const Data& data) {
  if (event.op != gate::Op::kLoadBypass && event.op != gate::Op::kStoreBypass) return;
  const event::Span& span = event.spans[event.accesses[0].first_span];
  const Word mine{data.done, event.core, span.end - span.begin};
  if (event.op == gate::Op::kStoreBypass) {
    words_[span.begin] = mine;
    return;
  }
  const auto word = words_.find(span.begin);
  if (word != words_.end() && word->second.core != event.core && word->second.bytes == mine.bytes)
    edge(word->second.done, data.start);
}

void Graph::auto_edge(event::CoreId core, Pipe pipe, uint32_t index, uint32_t scalar) {
  autos_.push_back({core, pipe, index, scalar});
}

void Graph::close() {
  scalar_chain();
  pipe_edges();
  join_edges();
  cross_edges();
  for (const Auto& edge_of : autos_)
    for (const Data& data : data_)
      if (data.core == edge_of.core && data.pipe == edge_of.pipe && data.index <= edge_of.index)
        edge(data.done, find(edge_of.core, Pipe::kS, edge_of.scalar)->start);
  closure();
}

/// iss of something issued after `version` joins and `scalar_index` scalar events.
void Graph::issue_edges(event::CoreId core, uint32_t version, uint32_t scalar_index, Node to) {
  if (version > 0) edge(joins_[core].at(version - 1), to);
  if (scalar_index > 0)
    if (const Data* scalar = find(core, Pipe::kS, scalar_index)) edge(scalar->done, to);
}

void Graph::scalar_chain() {
  for (auto& [core, joins] : joins_)
    for (size_t i = 1; i < joins.size(); ++i) edge(joins[i - 1], joins[i]);
  for (const Data& data : data_) {
    if (data.pipe != Pipe::kS) {
      issue_edges(data.core, data.version, data.scalar_index, data.start);
      continue;
    }
    if (data.version > 0) edge(joins_[data.core].at(data.version - 1), data.start);
    if (const Data* previous = find(data.core, Pipe::kS, data.index - 1)) {
      edge(previous->done, data.start);
      edge(stores_[{data.core, data.index - 1}], stores_[{data.core, data.index}]);
    }
    edge(data.start, stores_[{data.core, data.index}]);
    if (data.version < joins_[data.core].size()) edge(data.done, joins_[data.core][data.version]);
  }
  for (const Sync& sync : syncs_)
    if (in_pipe(sync.event))
      issue_edges(sync.event.core, sync.event.scalar_version, sync.event.scalar_index, sync.node);
}

void Graph::pipe_edges() {
  for (const Data& i : data_)
    for (const Data& j : data_)
      if (i.core == j.core && i.pipe == j.pipe && i.pipe != Pipe::kS && i.index < j.index)
        edge(i.start, j.start);
  for (const Sync& sync : syncs_) {
    const Event& event = sync.event;
    if (!in_pipe(event)) continue;
    for (const Data& data : data_) {
      if (data.core != event.core || data.pipe != event.pipe) continue;
      const bool earlier = data.index <= event.index;
      if (event.kind == Kind::kPipeBarrier && earlier) edge(data.done, sync.node);
      if (event.kind == Kind::kPipeBarrier && !earlier) edge(sync.node, data.start);
      if ((event.kind == Kind::kSetFlag || event.kind == Kind::kCrossSet) && earlier)
        edge(data.done, sync.node);                                                // R-6a
      if (event.kind == Kind::kWaitFlag && !earlier) edge(sync.node, data.start);
    }
    if (event.kind != Kind::kWaitFlag) continue;
    for (const Sync& later : syncs_)  // R-6b; same pipe, same core, further back in the queue
      if ((later.event.kind == Kind::kSetFlag || later.event.kind == Kind::kCrossSet) &&
          later.event.core == event.core && later.event.pipe == event.pipe && later.arrival > sync.arrival)
        edge(sync.node, later.node);
  }
  // n-th set to n-th wait of a key.
  for (const Sync& wait : syncs_)
    for (const Sync& set : syncs_)
      if (wait.event.kind == Kind::kWaitFlag && set.event.kind == Kind::kSetFlag && wait.event.core == set.event.core &&
          wait.event.pipe == set.event.other && wait.event.other == set.event.pipe && wait.event.id == set.event.id &&
          wait.event.ordinal == set.event.ordinal)
        edge(set.node, wait.node);
  // Sets on S fire in the scalar program and cover its stores.
  for (const Sync& set : syncs_) {
    if (set.event.kind != Kind::kSetFlag || set.event.pipe != Pipe::kS) continue;
    issue_edges(set.event.core, set.event.scalar_version, set.event.scalar_index, set.node);
    const auto store = stores_.find({set.event.core, set.event.scalar_index});
    if (store != stores_.end()) edge(store->second, set.node);
  }
}

void Graph::join_edges() {
  for (const Sync& sync : syncs_) {
    const Event& event = sync.event;
    if (event.kind != Kind::kFullBarrier) continue;
    const auto covers = [&](Pipe pipe) {
      if (event.value[0] == 1 && event.mode == 1)
        return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || pipe == Pipe::kFix;
      if (event.value[0] == 1 && event.mode == 2) return pipe == Pipe::kV || pipe == Pipe::kMte2 || pipe == Pipe::kMte3;
      return true;
    };
    for (const Data& data : data_)
      if (data.core == event.core && data.pipe != Pipe::kS && covers(data.pipe) && data.version < sync.join)
        edge(data.done, sync.node);
    for (const Sync& other : syncs_)
      if (other.event.core == event.core && other.event.kind == Kind::kWaitFlag && other.event.pipe != Pipe::kS &&
          covers(other.event.pipe) && other.event.scalar_version < sync.join)
        edge(other.node, sync.node);
    for (const auto& [key, store] : stores_)
      if (key.first == event.core && find(event.core, Pipe::kS, key.second)->version < sync.join)
        edge(store, sync.node);
  }
}

void Graph::cross_edges() {
  std::map<std::pair<event::CoreId, int>, uint32_t> delivered;
  for (const Sync& release : syncs_) {
    const Event& event = release.event;
    if (event.kind != Kind::kCrossRelease) continue;
    for (const Sync& set : syncs_)
      if (set.event.kind == Kind::kCrossSet && set.event.mode == event.mode && set.event.id == event.id &&
          set.event.ordinal == event.ordinal &&
          std::find(release.members.begin(), release.members.end(), set.event.core) != release.members.end())
        edge(set.node, release.node);
    for (event::CoreId target : release.targets) {
      const uint32_t number = ++delivered[{target, event.id}];
      for (const Sync& wait : syncs_)
        if (wait.event.kind == Kind::kCrossWait && wait.event.core == target && wait.event.id == event.id &&
            wait.event.ordinal >= number)
          edge(release.node, wait.node);
    }
  }
  for (const Sync& pass : syncs_) {  // R-24..R-26
    if (pass.event.kind != Kind::kGroupPass) continue;
    for (const Sync& arrive : syncs_)
      if (arrive.event.kind == Kind::kGroupArrive && arrive.event.id == pass.event.id &&
          arrive.event.ordinal == pass.event.ordinal &&
          std::find(pass.members.begin(), pass.members.end(), arrive.event.core) != pass.members.end())
        edge(arrive.node, pass.node);
  }
  for (const Sync& arrive : syncs_)
    if (arrive.event.kind == Kind::kGroupArrive)
      issue_edges(arrive.event.core, arrive.event.scalar_version, arrive.event.scalar_index, arrive.node);
}

void Graph::closure() {
  const size_t words = (nodes_ + 63) / 64;
  reach_.assign(nodes_, std::vector<uint64_t>(words, 0));
  std::vector<std::vector<Node>> out(nodes_);
  std::vector<uint32_t> open(nodes_, 0);
  for (const auto& [from, to] : edges_) {
    out[from].push_back(to);
    ++open[to];
  }
  std::vector<Node> ready;
  for (Node n = 0; n < nodes_; ++n)
    if (open[n] == 0) ready.push_back(n);
  while (!ready.empty()) {
    const Node from = ready.back();
    ready.pop_back();
    for (Node to : out[from]) {
      for (size_t w = 0; w < words; ++w) reach_[to][w] |= reach_[from][w];
      reach_[to][from / 64] |= uint64_t{1} << (from % 64);
      if (--open[to] == 0) ready.push_back(to);
    }
  }
}

const Graph::Data* Graph::find(event::CoreId core, Pipe pipe, uint32_t index) const {
  const auto found = by_index_.find({core, pipe, index});
  return found == by_index_.end() ? nullptr : &data_[found->second];
}

bool Graph::before(event::CoreId a, Pipe p, uint32_t n, event::CoreId b, Pipe q, uint32_t m) const {
  const Data* x = find(a, p, n);
  const Data* y = find(b, q, m);
  return x != nullptr && y != nullptr && reaches(x->done, y->start);
}

bool Graph::store_before(event::CoreId a, uint32_t n, Pipe q, uint32_t m) const {
  const auto store = stores_.find({a, n});
  const Data* y = find(a, q, m);
  return store != stores_.end() && y != nullptr && reaches(store->second, y->start);
}

}  // namespace ascsan::order
