// The text form of expressions and queries.
//
//   node      (kind field field …)       kind is a word of kExprKindNames; queries, join nodes and parts likewise: (field …)
//   null      ~
//   number    decimal, followed by a space; floating point as its bits
//   string    length:bytes and a space
//   list      [count elements ]
//   constant  length by_value align and then: ~ for NULL, a number for a by-value one, length:hex digits for the others
//
// Text is untrusted: every length, enumeration and count is checked against what is there.

#include <charconv>
#include <limits>

#include "fields.h"
#include "hathi/nodes/visit.h"

namespace hathi::nodes {
namespace {

class Writer {
 public:
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&... fields) { (field(fields), ...); }
  void constant(TypeLayout& layout, Datum& value, bool& is_null) {
    number(layout.length);
    number(layout.by_value ? 1 : 0);
    number(layout.align);
    if (is_null) { out_ += "~ "; return; }
    if (layout.by_value) { number(value.bits()); return; }
    std::size_t size = datum_size(value, layout);
    const std::byte* p = value.as_pointer();
    number(size, ':');
    for (std::size_t i = 0; i < size; ++i) {
      unsigned b = static_cast<unsigned>(p[i]);
      out_ += "0123456789abcdef"[b >> 4];
      out_ += "0123456789abcdef"[b & 15];
    }
    out_ += ' ';
  }
  void expression(Expr* e) {
    if (e == nullptr) { out_ += "~ "; return; }
    check_stack_depth();
    out_ += '(';
    out_ += kExprKindNames[static_cast<std::size_t>(e->kind)];
    out_ += ' ';
    dispatch(e, [&](auto& node) { node.fields(*this); });
    out_ += ") ";
  }
  template <class T>
  void field(T& x) {
    if constexpr (std::is_same_v<T, std::string_view>) { number(x.size(), ':'); out_ += x; out_ += ' '; }
    else if constexpr (std::is_same_v<T, double>) number(std::bit_cast<std::uint64_t>(x));
    else if constexpr (std::is_same_v<T, bool>) number(x ? 1 : 0);
    else if constexpr (std::is_same_v<T, Oid>) number(raw(x));
    else if constexpr (std::is_enum_v<T>) number(static_cast<int>(x));
    else if constexpr (std::is_arithmetic_v<T>) number(x);
    else if constexpr (kIsList<T>) list(x);
    else pointer(x);
  }
  template <class T>
  void list(List<T>& x) {
    out_ += '[';
    number(x.size());
    for (T& element : x) field(element);
    out_ += "] ";
  }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void number(T value, char end = ' ') {
    char buffer[24];
    if constexpr (std::is_same_v<T, char>) out_.append(buffer, std::to_chars(buffer, buffer + 24, static_cast<int>(value)).ptr);
    else out_.append(buffer, std::to_chars(buffer, buffer + 24, value).ptr);
    out_ += end;
  }
  template <class T>
  void pointer(T* x) {
    if constexpr (std::is_same_v<T, Expr>) expression(x);
    else {
      if (x == nullptr) { out_ += "~ "; return; }
      check_stack_depth();
      out_ += '(';
      if constexpr (std::is_same_v<T, JoinNode>) {
        number(static_cast<int>(x->kind));
        dispatch(x, [&](auto& node) { node.fields(*this); });
      } else x->fields(*this);
      out_ += ") ";
    }
  }
  std::string out_;
};

[[noreturn]] void damaged() { throw SqlError(sqlstate::internal_error, "damaged expression tree in a catalog"); }

class Reader {
 public:
  Reader(std::string_view text, Arena& arena) : p_(text.data()), end_(text.data() + text.size()), arena_(arena) {}

  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&... fields) { (field(fields), ...); }
  void constant(TypeLayout& layout, Datum& value, bool& is_null) {
    layout.length = number<std::int16_t>();
    layout.by_value = number<int>() != 0;
    layout.align = static_cast<char>(number<int>());
    if (layout.length < -2 || layout.length == 0) damaged();
    if (layout.by_value && layout.length != 1 && layout.length != 2 && layout.length != 4 && layout.length != 8) damaged();
    is_null = accept('~');
    if (is_null) { expect(' '); return; }
    if (layout.by_value) { value = Datum(number<std::uint64_t>()); return; }
    value = reference(layout);
  }
  Expr* expression() {
    if (accept('~')) { expect(' '); return nullptr; }
    check_stack_depth();
    expect('(');
    Expr head{word_kind()};
    Expr* e = dispatch_new(head.kind);
    dispatch(e, [&](auto& node) { node.fields(*this); });
    finish_node();
    return e;
  }
  template <class T>
  void field(T& x) {
    if constexpr (std::is_same_v<T, std::string_view>) x = text();
    else if constexpr (std::is_same_v<T, double>) x = std::bit_cast<double>(number<std::uint64_t>());
    else if constexpr (std::is_same_v<T, bool>) x = number<int>() != 0;
    else if constexpr (std::is_same_v<T, char>) x = static_cast<char>(number<std::int16_t>());
    else if constexpr (std::is_same_v<T, Oid>) x = Oid{number<std::uint32_t>()};
    else if constexpr (std::is_enum_v<T>) {
      static_assert(kEnumCount<T> > 0);
      int value = number<int>();
      if (value < 0 || value >= kEnumCount<T>) damaged();
      x = static_cast<T>(value);
    } else if constexpr (std::is_arithmetic_v<T>) x = number<T>();
    else if constexpr (kIsList<T>) list(x);
    else pointer(x);
  }
  template <class T>
  void list(List<T>& x) {
    expect('[');
    auto count = number<std::uint32_t>();
    if (count > static_cast<std::size_t>(end_ - p_)) damaged();
    x = {};
    x.reserve(arena_, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      T element{};
      field(element);
      x.push_back(arena_, element);
    }
    expect(']');
    expect(' ');
  }
  template <class T>
  void pointer(T*& x) {
    if constexpr (std::is_same_v<T, Expr>) x = expression();
    else {
      x = nullptr;
      if (accept('~')) { expect(' '); return; }
      check_stack_depth();
      expect('(');
      if constexpr (std::is_same_v<T, JoinNode>) x = join_node();
      else {
        x = arena_.make<T>();
        if constexpr (kIsJoinNode<T>) x->kind = T::kKind;
        x->fields(*this);
      }
      finish_node();
    }
  }
  void finish() { if (p_ != end_) damaged(); }

 private:
  bool accept(char c) {
    if (p_ == end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  void expect(char c) { if (!accept(c)) damaged(); }
  void finish_node() { expect(')'); expect(' '); }
  template <class T>
  T number(char end = ' ') {
    T value{};
    auto [next, error] = std::from_chars(p_, end_, value);
    if (error != std::errc()) damaged();
    p_ = next;
    expect(end);
    return value;
  }
  std::string_view text() {
    auto size = number<std::uint32_t>(':');
    if (size > static_cast<std::size_t>(end_ - p_)) damaged();
    std::string_view value = size == 0 ? std::string_view() : arena_.copy({p_, size});
    p_ += size;
    expect(' ');
    return value;
  }
  ExprKind word_kind() {
    const char* start = p_;
    while (p_ != end_ && *p_ != ' ') ++p_;
    std::string_view word(start, static_cast<std::size_t>(p_ - start));
    expect(' ');
    for (std::size_t i = 0; i < kExprKindNames.size(); ++i) if (kExprKindNames[i] == word) return static_cast<ExprKind>(i);
    damaged();
  }
  Expr* dispatch_new(ExprKind kind) {
    // The type is found by dispatching on a head of that kind; only its size matters, the object is made anew.
    Expr head{kind};
    return dispatch(&head, [&](auto& node) -> Expr* {
      using T = std::remove_reference_t<decltype(node)>;
      T* made = make<T>(arena_);
      made->kind = kind;
      return made;
    });
  }
  JoinNode* join_node() {
    JoinNodeKind kind;
    field(kind);
    JoinNode head{kind};
    return dispatch(&head, [&](auto& node) -> JoinNode* {
      using T = std::remove_reference_t<decltype(node)>;
      T* made = new (arena_.allocate(sizeof(T), alignof(T))) T();
      made->kind = T::kKind;
      made->fields(*this);
      return made;
    });
  }
  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    damaged();
  }
  Datum reference(const TypeLayout& layout) {
    auto size = number<std::uint32_t>(':');
    if (size == 0 || size > static_cast<std::size_t>(end_ - p_) / 2) damaged();
    auto* bytes = static_cast<std::byte*>(arena_.allocate(size, 8));
    for (std::uint32_t i = 0; i < size; ++i, p_ += 2) bytes[i] = static_cast<std::byte>(digit(p_[0]) * 16 + digit(p_[1]));
    expect(' ');
    if (layout.length > 0 && size != static_cast<std::uint32_t>(layout.length)) damaged();
    if (layout.length == -2 && std::memchr(bytes, 0, size) != bytes + size - 1) damaged();
    if (layout.length == -1) {
      if (varlena::is_external(bytes) || (!varlena::is_short(bytes) && size < 4)) damaged();
      if (varlena::total_size(bytes) != size) damaged();
    }
    return Datum::of(bytes);
  }
  const char* p_;
  const char* end_;
  Arena& arena_;
};

template <class T>
std::string write(T x) {
  Writer writer;
  writer.field(x);
  return writer.take();
}
template <class T>
T read(std::string_view text, Arena& arena) {
  Reader reader(text, arena);
  T x{};
  reader.field(x);
  reader.finish();
  return x;
}

}  // namespace

std::string to_text(const Expr* e) { return write(const_cast<Expr*>(e)); }
std::string to_text(const Query* q) { return write(const_cast<Query*>(q)); }
std::string to_text(const List<Expr*>& list) { return write(list); }
Expr* expr_from_text(std::string_view text, Arena& arena) { return read<Expr*>(text, arena); }
Query* query_from_text(std::string_view text, Arena& arena) { return read<Query*>(text, arena); }
List<Expr*> list_from_text(std::string_view text, Arena& arena) { return read<List<Expr*>>(text, arena); }

}  // namespace hathi::nodes
