// Copies, equality, walks and rewrites, made from the field lists.

#include "hathi/nodes/visit.h"

#include "fields.h"

namespace hathi::nodes {
namespace {

// Turns a bitwise copy of a node into a deep one.
class Copier {
 public:
  explicit Copier(Arena& arena) : arena_(arena) {}
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&... fields) { (field(fields), ...); }
  void constant(TypeLayout& layout, Datum& value, bool& is_null) {
    if (!is_null && !layout.by_value) value = copy_datum(value, layout, arena_);
  }
  template <class T>
  T* clone(const T& from) {
    T* to = new (arena_.allocate(sizeof(T), alignof(T))) T(from);
    to->fields(*this);
    return to;
  }
  Expr* expression(Expr* e) {
    if (e == nullptr) return nullptr;
    check_stack_depth();
    return dispatch(e, [&](auto& node) -> Expr* { return clone(node); });
  }
  Query* query(Query* q) {
    if (q == nullptr) return nullptr;
    check_stack_depth();
    return clone(*q);
  }

 private:
  template <class T>
  void field(T& x) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (!x.empty()) x = arena_.copy(x);
    } else if constexpr (kIsList<T>) {
      T copy;
      copy.reserve(arena_, x.size());
      for (auto element : x) { field(element); copy.push_back(arena_, element); }
      x = copy;
    } else if constexpr (std::is_pointer_v<T>) {
      x = pointer(x);
    }
  }
  template <class T>
  T* pointer(T* x) {
    if constexpr (std::is_same_v<T, Expr>) return expression(x);
    else if constexpr (std::is_same_v<T, Query>) return query(x);
    else if constexpr (std::is_same_v<T, JoinNode>) {
      if (x == nullptr) return nullptr;
      check_stack_depth();
      return dispatch(x, [&](auto& node) -> JoinNode* { return clone(node); });
    } else return x == nullptr ? nullptr : clone(*x);
  }
  Arena& arena_;
};

// Compares the node at base_a, whose fields are visited, with the node of the same type at base_b.
class Comparer {
 public:
  template <class T>
  static bool same(T& a, T& b) {
    Comparer comparer(&a, &b);
    a.fields(comparer);
    return comparer.equal_;
  }
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&...) {}
  void constant(TypeLayout& layout, Datum& value, bool& is_null) {
    if (!equal_) return;
    TypeLayout& other = twin(layout);
    equal_ = is_null == twin(is_null) && layout.length == other.length && layout.by_value == other.by_value && layout.align == other.align &&
             (is_null || datum_image_equal(value, twin(value), layout));
  }
  static bool expressions(Expr* a, Expr* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr || a->kind != b->kind) return false;
    check_stack_depth();
    return dispatch(a, [&](auto& node) { return same(node, static_cast<std::remove_reference_t<decltype(node)>&>(*b)); });
  }

 private:
  Comparer(void* a, void* b) : base_a_(static_cast<std::byte*>(a)), base_b_(static_cast<std::byte*>(b)) {}
  template <class T>
  T& twin(T& x) { return *reinterpret_cast<T*>(base_b_ + (reinterpret_cast<std::byte*>(&x) - base_a_)); }
  template <class T>
  void field(T& x) { if (equal_) equal_ = values(x, twin(x)); }
  template <class T>
  static bool values(T& a, T& b) {
    if constexpr (kIsList<T>) {
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) if (!values(a[i], b[i])) return false;
      return true;
    } else if constexpr (std::is_pointer_v<T>) {
      return pointers(a, b);
    } else {
      return a == b;
    }
  }
  template <class T>
  static bool pointers(T* a, T* b) {
    if constexpr (std::is_same_v<T, Expr>) return expressions(a, b);
    else {
      if (a == b) return true;
      if (a == nullptr || b == nullptr) return false;
      check_stack_depth();
      if constexpr (std::is_same_v<T, JoinNode>) {
        if (a->kind != b->kind) return false;
        return dispatch(a, [&](auto& node) { return same(node, static_cast<std::remove_reference_t<decltype(node)>&>(*b)); });
      } else return same(*a, *b);
    }
  }
  std::byte* base_a_;
  std::byte* base_b_;
  bool equal_ = true;
};

// Calls a function for each expression reached without passing through another expression or a subquery.
class Walker {
 public:
  Walker(ExprVisitor visit, void* context) : visit_(visit), context_(context) {}
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&...) {}
  void constant(TypeLayout&, Datum&, bool&) {}
  bool stopped() const { return stopped_; }

 private:
  template <class T>
  void field(T& x) {
    if (stopped_) return;
    if constexpr (kIsList<T>) {
      if constexpr (!kIsScalar<std::remove_reference_t<decltype(x[0])>>) for (auto& element : x) field(element);
    } else if constexpr (std::is_pointer_v<T>) {
      if (x != nullptr) pointer(x);
    }
  }
  template <class T>
  void pointer(T* x) {
    if constexpr (std::is_same_v<T, Expr>) stopped_ = visit_(x, context_);
    else if constexpr (std::is_same_v<T, JoinNode>) {
      check_stack_depth();
      dispatch(x, [&](auto& node) { node.fields(*this); });
    } else if constexpr (!std::is_same_v<T, Query>) x->fields(*this);
  }
  ExprVisitor visit_;
  void* context_;
  bool stopped_ = false;
};

// Replaces each expression that Walker would reach; with an arena the parts on the way are cloned, without they are changed in place.
class Mapper {
 public:
  Mapper(ExprMutator change, void* context, Arena* arena) : change_(change), context_(context), arena_(arena) {}
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&...) {}
  void constant(TypeLayout&, Datum&, bool&) {}
  template <class T>
  T* clone(const T& from) {
    T* to = new (arena_->allocate(sizeof(T), alignof(T))) T(from);
    to->fields(*this);
    return to;
  }

 private:
  template <class T>
  void field(T& x) {
    if constexpr (kIsList<T>) {
      using Element = std::remove_reference_t<decltype(x[0])>;
      if constexpr (std::is_pointer_v<Element> || kIsList<Element>) {
        if (arena_ != nullptr) {
          T copy;
          copy.reserve(*arena_, x.size());
          for (const auto& element : x) copy.push_back(*arena_, element);
          x = copy;
        }
        for (auto& element : x) field(element);
      }
    } else if constexpr (std::is_pointer_v<T>) {
      if (x != nullptr) pointer(x);
    }
  }
  template <class T>
  void pointer(T*& x) {
    if constexpr (std::is_same_v<T, Expr>) x = change_(x, context_);
    else if constexpr (std::is_same_v<T, JoinNode>) {
      check_stack_depth();
      dispatch(x, [&](auto& node) { part(node, x); });
    } else if constexpr (!std::is_same_v<T, Query>) part(*x, x);
  }
  template <class T, class P>
  void part(T& node, P*& place) {
    if (arena_ != nullptr) place = clone(node);
    else node.fields(*this);
  }
  ExprMutator change_;
  void* context_;
  Arena* arena_;
};

}  // namespace

Expr* copy(const Expr* e, Arena& arena) { return Copier(arena).expression(const_cast<Expr*>(e)); }
Query* copy(const Query* q, Arena& arena) { return Copier(arena).query(const_cast<Query*>(q)); }
TargetEntry* copy(const TargetEntry* t, Arena& arena) { return t == nullptr ? nullptr : Copier(arena).clone(*t); }

bool equal(const Expr* a, const Expr* b) { return Comparer::expressions(const_cast<Expr*>(a), const_cast<Expr*>(b)); }
bool equal(const Query* a, const Query* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return Comparer::same(*const_cast<Query*>(a), *const_cast<Query*>(b));
}

bool walk_children(Expr* e, ExprVisitor visit, void* context) {
  if (e == nullptr) return false;
  check_stack_depth();
  Walker walker(visit, context);
  dispatch(e, [&](auto& node) { node.fields(walker); });
  return walker.stopped();
}

bool walk_query_expressions(Query* q, ExprVisitor visit, void* context) {
  check_stack_depth();
  Walker walker(visit, context);
  q->fields(walker);
  return walker.stopped();
}

Expr* map_children(const Expr* e, ExprMutator change, void* context, Arena& arena) {
  if (e == nullptr) return nullptr;
  check_stack_depth();
  Mapper mapper(change, context, &arena);
  return dispatch(const_cast<Expr*>(e), [&](auto& node) -> Expr* { return mapper.clone(node); });
}

void map_query_expressions(Query* q, ExprMutator change, void* context) {
  check_stack_depth();
  Mapper mapper(change, context, nullptr);
  q->fields(mapper);
}

}  // namespace hathi::nodes
