// The slow oracle of the order: every event becomes nodes of an explicit graph, every rule an edge, and "before" is
// reachability. Written from spec/hb-rules.md 1-3 alone, without clocks and without looking at the order of events
// beyond what the rules name (issue points, positions in a pipe, ordinals). For tests; cubic in the number of events.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "event/event.h"

namespace ascsan::order {

class Graph {
 public:
  /// Events of one launch, in the order a sink sees them. Copies what it needs.
  void add(const event::Event& event);
  /// Builds edges and closure. Call once, after the last event.
  void close();

  /// Does done(instruction n of pipe p on core a) happen before start(instruction m of pipe q on core b)? p or q may be
  /// S: scalar accesses by their index. False when one of them is unknown.
  bool before(event::CoreId a, gate::Pipe p, uint32_t n, event::CoreId b, gate::Pipe q, uint32_t m) const;
  /// As before(), for a scalar store that needs a flag to be seen by other pipes of its core (strict profile).
  bool store_before(event::CoreId a, uint32_t n, gate::Pipe q, uint32_t m) const;
  /// R-13, to be called between add() and close(): instructions of `pipe` up to `index` complete before scalar access
  /// `scalar` of the core starts.
  void auto_edge(event::CoreId core, gate::Pipe pipe, uint32_t index, uint32_t scalar);

 private:
  using Node = uint32_t;
  struct Sync {
    event::Event event;
    std::vector<event::CoreId> members, targets;
    Node node = 0;
    uint32_t join = 0;  ///< scalar joins: number on its core, from 1
    size_t arrival = 0;
  };
  struct Data {
    event::CoreId core;
    gate::Pipe pipe;
    uint32_t index, version, scalar_index;
    Node start, done;
  };
  struct Auto {
    event::CoreId core;
    gate::Pipe pipe;
    uint32_t index, scalar;
  };

  Node node() { return nodes_++; }
  void edge(Node from, Node to) { edges_.push_back({from, to}); }
  void polled_edges(const event::Event& event, const Data& data);
  void issue_edges(event::CoreId core, uint32_t version, uint32_t scalar_index, Node to);
  void scalar_chain();
  void pipe_edges();
  void join_edges();
  void cross_edges();
  void closure();
  bool reaches(Node from, Node to) const { return (reach_[to][from / 64] >> (from % 64)) & 1; }
  const Data* find(event::CoreId core, gate::Pipe pipe, uint32_t index) const;

  Node nodes_ = 0;
  std::vector<std::pair<Node, Node>> edges_;
  std::vector<Data> data_;
  std::deque<Sync> syncs_;
  std::vector<Auto> autos_;
  /// newest store of each polled word, with its core and size.
  struct Word {
    Node done = 0;
    event::CoreId core = 0;
    uint64_t bytes = 0;
  };
  std::map<uint64_t, Word> words_;
  std::map<event::CoreId, std::vector<Node>> joins_;  ///< per core, node of the n-th scalar join at n - 1
  std::map<event::CoreId, uint32_t> join_count_;
  std::map<std::pair<event::CoreId, uint32_t>, Node> stores_;  ///< store-complete node of each scalar access
  std::map<std::tuple<event::CoreId, gate::Pipe, uint32_t>, size_t> by_index_;
  std::vector<std::vector<uint64_t>> reach_;  ///< reach_[to] = set of nodes before it
};

}  // namespace ascsan::order
