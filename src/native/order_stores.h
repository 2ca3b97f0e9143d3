// SPDX-License-Identifier: Apache-2.0
// Stores that must wait for the readers of their slots, in an order that lets most of them follow at once.
//
// All right-hand sides of a procedure read the memory as it was. A store of a number to a slot that is read elsewhere
// comes right after the last of its readers; only where stores wait for each other in a circle the value of one of them
// is held in a variable. So a chain of delays is one pass over memory.
#pragma once

#include <vector>

#include "native/plan.h"

namespace orrery::native {

class StoreOrder {
 public:
  StoreOrder(const program::Graph& graph, const std::vector<Index>& index_of, Plan& plan);

  // After the forms are chosen: sorts the ordered stores, and gives names to the values that break circles.
  void sort();
  // After the items are listed: puts the ordered stores between the items of the procedure, the other late ones behind.
  void place();

 private:
  const program::Store& store(std::uint32_t s) const { return plan_.procedure->stores[s]; }
  template <class OnRead, class OnNode>
  void visit_text(program::ExprId id, const OnRead& on_read, const OnNode& on_node) const;
  void find_edges();
  void hold(std::uint32_t at);
  void note_readers(program::ExprId id, std::int64_t position);
  void note_item(const Item& item, std::int64_t position);
  void note_scope(ScopeId scope, std::int64_t position);
  std::vector<std::int64_t> positions();

  const program::Graph& graph_;
  const std::vector<Index>& index_of_;
  Plan& plan_;
  std::vector<std::uint32_t> stores_;  // the ordered ones
  // Edges lead from a store that reads a slot to the store that writes it; by position in stores_.
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::uint32_t> waiting_for_;
  std::vector<std::uint32_t> sequence_;                 // positions in stores_, sorted
  std::vector<std::int64_t> last_reader_, defined_at_;  // item of scope 0, by position in stores_ and by node
  std::vector<std::uint32_t> writer_;                   // by slot: position in stores_
};

}  // namespace orrery::native
