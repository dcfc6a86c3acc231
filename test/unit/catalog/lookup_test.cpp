#include "hathi/catalog/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hathi/catalog/quote.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/catalog/versions.h"
#include "hathi/config/session_settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::catalog {
namespace {

class Lookup : public testing::Test {
 protected:
  void SetUp() override {
    set_user_objects({});
    load_builtin_objects();
    config::values::search_path = "\"$user\", public";
    ++config::values::search_path_generation;
  }
  void TearDown() override { set_user_objects({}); }
};

TEST_F(Lookup, TypesByOidAndName) {
  const TypeInfo& text = type_info(type_oid::text);
  EXPECT_EQ(text.name, "text");
  EXPECT_TRUE(text.preferred);
  EXPECT_EQ(text.layout.length, -1);
  EXPECT_EQ(text.array, type_oid::text_array);
  EXPECT_EQ(find_type_by_name("int4", kPgCatalogNamespace)->oid, type_oid::int4);
  EXPECT_EQ(find_type_in_path("numeric")->oid, type_oid::numeric);
  EXPECT_EQ(find_type_in_path("no such type"), nullptr);
  EXPECT_EQ(find_type_by_name("int4", kPublicNamespace), nullptr);
  try {
    type_info(Oid{99999});
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.report().message, "cache lookup failed for type 99999");
  }
}

// select typname, eq/lt/gt operators, cmp and hash functions as stock's type cache gives them.
TEST_F(Lookup, OperatorsOfTypes) {
  const TypeInfo& int4 = type_info(type_oid::int4);
  EXPECT_EQ(int4.equal_operator, Oid{96});
  EXPECT_EQ(int4.less_operator, Oid{97});
  EXPECT_EQ(int4.greater_operator, Oid{521});
  EXPECT_EQ(int4.compare_function, Oid{351});
  EXPECT_EQ(int4.hash_function, Oid{450});
  EXPECT_EQ(type_info(type_oid::varchar).equal_operator, Oid{98});       // text's, by binary coercion
  EXPECT_EQ(type_info(type_oid::text_array).equal_operator, Oid{1070});
  EXPECT_EQ(type_info(type_oid::json).equal_operator, kInvalidOid);
  EXPECT_EQ(type_info(type_oid::json_array).equal_operator, kInvalidOid);  // elements cannot be compared
  EXPECT_EQ(type_info(type_oid::xid).equal_operator, Oid{352});            // hash class only
  EXPECT_EQ(type_info(type_oid::xid).less_operator, kInvalidOid);
  EXPECT_EQ(type_info(type_oid::bit_array).hash_function, kInvalidOid);
}

TEST_F(Lookup, Functions) {
  std::vector<const FunctionInfo*> found;
  find_functions("count", kInvalidOid, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(std::ranges::all_of(found, [](const FunctionInfo* f) { return f->kind == 'a' && f->result == type_oid::int8; }));
  const FunctionInfo& make_interval = function_info(Oid{3464});
  EXPECT_EQ(make_interval.defaults, 7);
  EXPECT_EQ(make_interval.names[0], "years");
  Arena arena;
  List<nodes::Expr*> defaults = default_arguments(make_interval, arena);
  ASSERT_EQ(defaults.size(), 7u);
  EXPECT_EQ(nodes::type_of(defaults[6]), type_oid::float8);
  EXPECT_EQ(nodes::type_of(default_arguments(function_info(Oid{4005}), arena)[0]), type_oid::jsonb);  // jsonb_path_exists
  const AggregateInfo* sum = find_aggregate(Oid{2108});
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->transition_type, type_oid::int8);
  EXPECT_FALSE(sum->initial.has_value());
  EXPECT_EQ(find_aggregate(Oid{2147})->initial, "0");
  EXPECT_EQ(function_info(Oid{2160}).modes.size(), 0u);
}

TEST_F(Lookup, OperatorsCastsClasses) {
  const OperatorInfo* plus = find_operator("+", type_oid::int4, type_oid::int4, kInvalidOid);
  ASSERT_NE(plus, nullptr);
  EXPECT_EQ(plus->oid, Oid{551});
  EXPECT_EQ(find_operator("-", kInvalidOid, type_oid::int4, kInvalidOid)->oid, Oid{558});
  EXPECT_EQ(find_operator("+", type_oid::int4, type_oid::text, kInvalidOid), nullptr);
  std::vector<const OperatorInfo*> prefix;
  find_operators("-", 'l', kInvalidOid, prefix);
  EXPECT_EQ(prefix.size(), 7u);
  EXPECT_EQ(find_cast(type_oid::int4, type_oid::int8)->context, 'i');
  EXPECT_EQ(find_cast(type_oid::int8, type_oid::int4)->context, 'a');
  EXPECT_EQ(find_cast(type_oid::text, type_oid::int4), nullptr);
  EXPECT_EQ(default_operator_class(type_oid::varchar, kBTreeAccessMethod), Oid{3126});
  EXPECT_EQ(find_operator_class("text_pattern_ops", kBTreeAccessMethod, kInvalidOid)->oid, Oid{4217});
  EXPECT_EQ(family_operator(Oid{1976}, type_oid::int4, type_oid::int8, 1), Oid{37});
  EXPECT_EQ(family_function(Oid{1976}, type_oid::int4, type_oid::int8, 1), Oid{2188});
  std::span<const FamilyMember> members = operator_families(Oid{96});
  ASSERT_EQ(members.size(), 2u);  // integer_ops of btree and hash
  EXPECT_EQ(members[0].strategy + members[1].strategy, 4);
  EXPECT_TRUE(is_binary_coercible(type_oid::varchar, type_oid::text));
  EXPECT_FALSE(is_binary_coercible(type_oid::text, type_oid::name));
  EXPECT_TRUE(is_binary_coercible(type_oid::int4_array, type_oid::anyarray));
  EXPECT_EQ(find_collation_by_name("C", kInvalidOid)->oid, kCCollation);
  EXPECT_EQ(find_collation_by_name("de-x-icu", kInvalidOid)->icu_locale, "de");
}

// Texts observed on stock PostgreSQL 15.
TEST_F(Lookup, FormatType) {
  EXPECT_EQ(format_type(type_oid::int4), "integer");
  EXPECT_EQ(format_type(type_oid::varchar, 14), "character varying(10)");
  EXPECT_EQ(format_type(type_oid::bpchar), "character");
  EXPECT_EQ(format_type(type_oid::bpchar, -1), "bpchar");
  EXPECT_EQ(format_type(type_oid::bit, -1), "\"bit\"");
  EXPECT_EQ(format_type(type_oid::char_), "\"char\"");
  EXPECT_EQ(format_type(type_oid::numeric, 329730), "numeric(5,-2)");
  EXPECT_EQ(format_type(type_oid::numeric, 655364), "numeric(10,0)");
  EXPECT_EQ(format_type(type_oid::interval, 268435459), "interval second(3)");
  EXPECT_EQ(format_type(type_oid::interval, 458751), "interval year to month");
  EXPECT_EQ(format_type(type_oid::interval, 2147418116), "interval(4)");
  EXPECT_EQ(format_type(type_oid::timestamp_array, 0), "timestamp(0) without time zone[]");
  EXPECT_EQ(format_type(type_oid::timetz, 2), "time(2) with time zone");
  EXPECT_EQ(format_type(type_oid::oidvector), "oidvector");
  EXPECT_EQ(format_type(kInvalidOid), "-");
  EXPECT_EQ(format_type(Oid{999999}), "???");
  EXPECT_EQ(format_type_qualified(type_oid::text), "pg_catalog.text");
  config::values::search_path = "public, pg_catalog";
  ++config::values::search_path_generation;
  EXPECT_EQ(format_type(type_oid::text), "text");
}

TEST_F(Lookup, QuoteIdentifier) {
  EXPECT_EQ(quote_identifier("abc_1"), "abc_1");
  EXPECT_EQ(quote_identifier("Abc"), "\"Abc\"");
  EXPECT_EQ(quote_identifier("select"), "\"select\"");
  EXPECT_EQ(quote_identifier("limit"), "\"limit\"");
  EXPECT_EQ(quote_identifier("xmltable"), "\"xmltable\"");
  EXPECT_EQ(quote_identifier("begin"), "begin");
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_identifier("1a"), "\"1a\"");
  EXPECT_EQ(quote_literal("it's"), "'it''s'");
  EXPECT_EQ(quote_literal("a\\b"), " E'a\\\\b'");
  EXPECT_EQ(*split_identifiers(" \"$user\" , Public"), (std::vector<std::string>{"$user", "public"}));
  EXPECT_FALSE(split_identifiers("a,,b").has_value());
  EXPECT_FALSE(split_identifiers("a,").has_value());
}

TEST_F(Lookup, SearchPath) {
  EXPECT_EQ(search_path(), (std::vector<Oid>{kPgCatalogNamespace, kPublicNamespace}));
  EXPECT_EQ(find_relation("pg_class", kInvalidOid), catalog_oid::pg_class);
  EXPECT_EQ(find_relation("pg_class_oid_index", kPgCatalogNamespace), Oid{2662});
  EXPECT_EQ(find_relation("t", kInvalidOid), kInvalidOid);
  EXPECT_TRUE(relation_is_visible(catalog_oid::pg_class));
  EXPECT_TRUE(is_superuser(kBootstrapSuperuser));
  EXPECT_TRUE(is_member_of(Oid{3373}, Oid{3374}));   // pg_monitor, pg_read_all_settings
  EXPECT_FALSE(is_member_of(Oid{3374}, Oid{3373}));
}

// A user's objects take their place in the search path: before pg_catalog only when it is named later.
TEST_F(Lookup, UserObjectsInPath) {
  static FunctionInfo mine;
  static const Oid args[] = {type_oid::int4};
  mine.oid = Oid{20000};
  mine.name = "abs";
  mine.schema = kPublicNamespace;
  mine.arguments = args;
  UserObjects readers;
  readers.named = [](Oid catalog, std::string_view name) -> std::span<const NamedObject> {
    static const NamedObject function{Oid{20000}, kPublicNamespace}, schema{kPublicNamespace, kInvalidOid};
    if (catalog == catalog_oid::pg_proc && name == "abs") return {&function, 1};
    if (catalog == catalog_oid::pg_namespace && name == "public") return {&schema, 1};
    return {};
  };
  readers.function = [](Oid oid) -> const FunctionInfo* { return oid == Oid{20000} ? &mine : nullptr; };
  set_user_objects(readers);
  auto has_mine = [] {
    std::vector<const FunctionInfo*> found;
    find_functions("abs", kInvalidOid, found);
    return std::ranges::any_of(found, [](const FunctionInfo* f) { return f->oid == Oid{20000}; });
  };
  ++config::values::search_path_generation;
  EXPECT_FALSE(has_mine());  // pg_catalog.abs(integer) hides it
  config::values::search_path = "public, pg_catalog";
  ++config::values::search_path_generation;
  EXPECT_TRUE(has_mine());
  EXPECT_FALSE(function_is_visible(Oid{1397}));
}

TEST(Versions, NamesAndObjects) {
  EXPECT_EQ(versions::stamp(versions::slot_of(catalog_oid::pg_class, Oid{1})), versions::Stamp{});
  EXPECT_EQ(versions::slot_of(catalog_oid::pg_class, Oid{16384}) + 1, versions::slot_of(catalog_oid::pg_class, Oid{16385}));
  EXPECT_EQ(versions::slot_of_name(catalog_oid::pg_class, "a"), versions::slot_of_name(catalog_oid::pg_class, "a"));
}

}  // namespace
}  // namespace hathi::catalog
