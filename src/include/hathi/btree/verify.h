#pragma once
// Checking a B-tree against its own rules (contrib amcheck's functions).

#include "hathi/btree/btree.h"

namespace hathi::btree {

// Every page on its level in order, entries in order on each page, below its high key, and before the first of the page to the right.
// parents: also that each page's entries lie within the bounds its parent gives, and that every page has a parent; the caller then holds a
// lock that keeps writers out. Throws XX002 at the first thing wrong.
void verify(const BTreeIndex& index, bool parents);

}  // namespace hathi::btree
