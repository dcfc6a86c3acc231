#pragma once
// What conditions say about each other. Only common forms are understood: false may also mean that it is not known.

#include <span>

#include "hathi/memory/arena.h"
#include "hathi/nodes/expression.h"

namespace hathi::planner {

// Whenever all of `facts` are true, is `goal` true? weak: whenever none of them is false, is the goal not false?
bool implies(std::span<nodes::Expr* const> facts, nodes::Expr* goal, bool weak = false);
// Whenever all of `facts` are true, is one of `claims` false? weak: is one of them not true (false or null)?
bool refutes(std::span<nodes::Expr* const> facts, std::span<nodes::Expr* const> claims, bool weak = false);

}  // namespace hathi::planner
