#include "workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "hathi/buffer/page.h"
#include "hathi/datum/tuple.h"
#include "hathi/error/sql_error.h"
#include "hathi/session/run_script.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"

namespace hathi::crash {

namespace {

constexpr int kAccounts = 300;
constexpr int kTables = 30;       // rows of each table that create_table makes
constexpr int kPartitions = 5;

class Collector : public executor::RowReceiver {
 public:
  explicit Collector(std::vector<std::int64_t>& to) : to_(to) {}
  void start(const TupleDescriptor& row) override { kind_ = row.layouts[0].kind; }
  bool receive(const Datum* values, const bool* nulls) override {
    to_.push_back(nulls[0] ? -1 : number(values[0]));
    return true;
  }
 private:
  std::int64_t number(Datum value) const {
    switch (kind_) {
      case ColumnLayout::Kind::int1: return static_cast<std::int64_t>(value.bits() & 0xFF);
      case ColumnLayout::Kind::int2: return static_cast<std::int16_t>(value.bits());
      case ColumnLayout::Kind::int4: return static_cast<std::int32_t>(value.bits());
      case ColumnLayout::Kind::int8: return static_cast<std::int64_t>(value.bits());
      default: return 0;
    }
  }
  std::vector<std::int64_t>& to_;
  ColumnLayout::Kind kind_{};
};

std::string logged(int number, const std::string& work) {
  return fmt::format("begin; {} insert into log values ({}, repeat('n', {})); commit", work, number, number % 40);
}

Step transfer(int n, std::mt19937& random) {
  int from = static_cast<int>(random() % kAccounts), to = static_cast<int>(random() % kAccounts), filler = static_cast<int>(random() % 100);
  return {Step::Kind::transfer, n, from * 1000 + to,
          logged(n, fmt::format("update account set balance = balance - {0}, filler = repeat('f', {3}) where id = {1}; update account set balance = "
                                "balance + {0} where id = {2};",
                                n, from, to, filler))};
}

}  // namespace

std::vector<std::int64_t> query(const std::string& sql) {
  std::vector<std::int64_t> rows;
  Collector collector(rows);
  session::run_statements(sql, &collector);
  return rows;
}

const char* setup_sql() {
  return R"(
create table log (n int primary key, note text);
create table account (id int primary key, balance bigint not null, filler text);
insert into account select g, 0, repeat('x', g % 50) from generate_series(0, 299) g;
create index account_balance on account (balance);
create unlogged table fleeting (n int primary key);
insert into fleeting values (1);
create table emptied (n int);
create table wide (n int, t text);
create table old_1 (n int primary key, t text);
insert into old_1 select g, repeat('o', g) from generate_series(1, 100) g;
create table old_2 (n int primary key, t text);
insert into old_2 select g, repeat('o', g) from generate_series(1, 100) g;
create table altered (n int);
insert into altered select g from generate_series(1, 50) g;
create sequence counter;
create table switched (n int primary key, t text);
insert into switched select g, repeat('s', g) from generate_series(1, 60) g;
create table shrinking (n int primary key, t text);
insert into shrinking select g, repeat('v', 150) from generate_series(1, 400) g;
create table ranged (n int primary key) partition by range (n);
create table ranged_1 partition of ranged for values from (0) to (50);
create table ranged_2 partition of ranged for values from (50) to (100);
insert into ranged select g from generate_series(0, 99) g;
)";
}

namespace {

// What replaces, cuts or makes files. A seed has some of them, so that the calls of the others are struck more often.
template <class Add>
void add_changes_of_files(Add add, const int& n, std::mt19937& random) {
  if (random() % 2 == 0) {
    add(Step::Kind::persistence, 'u', "alter table switched set unlogged;");
    if (random() % 2 == 0) add(Step::Kind::quiet, 0, "checkpoint");
    if (random() % 4 != 0) add(Step::Kind::persistence, 'p', "alter table switched set logged;");
  }
  if (random() % 2 == 0) {
    add(Step::Kind::shrink, 0, "delete from shrinking where n > 10;");
    add(Step::Kind::quiet, 0, "vacuum shrinking");
  }
  if (random() % 2 == 0) {
    std::string sql = fmt::format("create table parts_{} (n int primary key) partition by range (n);", n + 1);
    for (int i = 0; i < kPartitions; ++i)
      sql += fmt::format("create table parts_{0}_{1} partition of parts_{0} for values from ({1}) to ({2});", n + 1, i, i + 1);
    add(Step::Kind::partitions, n + 1, sql + fmt::format("insert into parts_{} select g from generate_series(0, {}) g;", n + 1, kPartitions - 1));
  }
  if (random() % 4 == 0) add(Step::Kind::database, n + 1, fmt::format("create database copied_{} template postgres", n + 1));
  if (random() % 2 == 0) add(Step::Kind::quiet, 0, "reindex index concurrently account_balance");
  if (random() % 2 == 0) add(Step::Kind::quiet, 0, "alter table ranged detach partition ranged_1 concurrently");
}

}  // namespace

std::vector<Step> make_steps(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Step> steps;
  int n = 0;
  auto add = [&](Step::Kind kind, int argument, const std::string& sql) {
    ++n;
    bool alone = kind == Step::Kind::quiet || kind == Step::Kind::database;   // no part of a transaction
    steps.push_back({kind, alone ? 0 : n, argument, alone ? sql : logged(n, sql)});
  };
  auto transfers = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ++n;
      steps.push_back(transfer(n, random));
    }
  };
  transfers(3);
  add(Step::Kind::create_table, n + 1,
      fmt::format(
          "create table made_{0} (a int primary key, b text); insert into made_{0} select g, repeat('m', g * 20) from generate_series(1, {1}) g;",
          n + 1, kTables));
  add(Step::Kind::quiet, 0, "insert into fleeting select g from generate_series(10, 40) g");
  transfers(2);
  add(Step::Kind::create_index, n + 1, fmt::format("create index made_index_{} on account (filler, id);", n + 1));
  if (random() % 2 == 0) add(Step::Kind::quiet, 0, "checkpoint");
  add(Step::Kind::truncate, 0, fmt::format("truncate emptied; insert into emptied values ({});", n + 1));
  add(Step::Kind::savepoint, 0, fmt::format("savepoint s; create table never_{0} (a int); insert into log values (-{0}, ''); rollback to s;", n + 1));
  add(Step::Kind::wide, 0, fmt::format("insert into wide select {}, string_agg(md5(g::text || '{}'), '') from generate_series(1, 300) g;", n + 1, seed));
  add(Step::Kind::drop_table, 1, "drop table old_1;");
  add(Step::Kind::quiet, 0, "checkpoint");
  transfers(3);
  add(Step::Kind::quiet, 0, "vacuum account");
  add(Step::Kind::sequence, 0, "select nextval('counter');");
  add(Step::Kind::alter, 0, fmt::format("alter table altered add column c_{0} int not null default {0};", n + 1));
  add_changes_of_files(add, n, random);
  add(Step::Kind::truncate, 0, fmt::format("truncate emptied; insert into emptied values ({});", n + 1));
  add(Step::Kind::quiet, 0, "create temp table fleeting_too as select g from generate_series(1, 2000) g; drop table fleeting_too");
  if (random() % 2 == 0) add(Step::Kind::quiet, 0, "checkpoint");
  add(Step::Kind::drop_table, 2, "drop table old_2;");
  add(Step::Kind::create_table, n + 1,
      fmt::format(
          "create table made_{0} (a int primary key, b text); insert into made_{0} select g, repeat('m', g * 20) from generate_series(1, {1}) g;",
          n + 1, kTables));
  transfers(3);
  add(Step::Kind::quiet, 0, "checkpoint");
  transfers(2);
  return steps;
}

namespace {

class Checker {
 public:
  Checker(const std::vector<Step>& steps, const Outcome* outcomes) : steps_(steps), outcomes_(outcomes) {}

  std::vector<std::string> run() {
    try {
      std::vector<std::int64_t> there = query("select n from log order by n");
      committed_.insert(there.begin(), there.end());
      acknowledgements();
      accounts();
      objects();
      changes_of_files();
      soundness();
      files();
      databases();
      still_works();
    } catch (const SqlError& e) { wrong(fmt::format("error {}: {}", e.code().view(), e.report().message)); }
    return wrong_;
  }

 private:
  void wrong(std::string text) { wrong_.push_back(std::move(text)); }
  bool committed(const Step& s) const { return committed_.contains(s.number); }

  void equal(const std::string& sql, std::int64_t expected) {
    std::vector<std::int64_t> got = query(sql);
    if (got.size() != 1 || got[0] != expected) wrong(fmt::format("{}: {} instead of {}", sql, got.empty() ? -2 : got[0], expected));
  }

  void acknowledgements() {
    std::set<std::int64_t> known;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& s = steps_[i];
      if (s.number == 0) continue;
      known.insert(s.number);
      if (outcomes_[i] == Outcome::acknowledged && !committed(s)) wrong(fmt::format("LOST: step {} was acknowledged", s.number));
      if ((outcomes_[i] == Outcome::failed || outcomes_[i] == Outcome::unknown) && committed(s))
        wrong(fmt::format("step {} never committed, and is there", s.number));
    }
    for (std::int64_t n : committed_)
      if (!known.contains(n)) wrong(fmt::format("row {} of log was rolled back, and is there", n));
  }

  void accounts() {
    std::map<int, std::int64_t> balance;
    for (int i = 0; i < kAccounts; ++i) balance[i] = 0;
    for (const Step& s : steps_) {
      if (s.kind != Step::Kind::transfer || !committed(s)) continue;
      balance[s.argument / 1000] -= s.number;
      balance[s.argument % 1000] += s.number;
    }
    std::vector<std::int64_t> got = query("select balance from account order by id");
    for (int i = 0; i < kAccounts; ++i)
      if (got.size() != kAccounts || got[static_cast<std::size_t>(i)] != balance[i]) return wrong(fmt::format("account {} of {} rows is wrong", i, got.size()));
    // The same through each index.
    std::int64_t sum = 0;
    for (const auto& [id, b] : balance) sum += b * id;
    for (const char* column : {"id >= 0", "balance >= -1000000"})
      equal(fmt::format("set enable_seqscan = off; set enable_bitmapscan = off; select sum(balance * id)::bigint from account where {}", column), sum);
    query("reset enable_seqscan; reset enable_bitmapscan");
  }

  void objects() {
    int last_truncate = 0, altered = 0;
    for (const Step& s : steps_) {
      switch (s.kind) {
        case Step::Kind::create_table:
          equal(fmt::format("select count(*) from pg_class where relname = 'made_{}'", s.argument), committed(s) ? 1 : 0);
          if (committed(s)) {
            equal(fmt::format("select sum(length(b))::bigint from made_{}", s.argument), 20 * kTables * (kTables + 1) / 2);
            equal(fmt::format("select count(*) from made_{} where a between 1 and 1000", s.argument), kTables);
          }
          break;
        case Step::Kind::create_index:
          equal(fmt::format("select count(*) from pg_class where relname = 'made_index_{}'", s.argument), committed(s) ? 1 : 0);
          break;
        case Step::Kind::drop_table: equal(fmt::format("select count(*) from pg_class where relname = 'old_{}'", s.argument), committed(s) ? 0 : 1); break;
        case Step::Kind::truncate: last_truncate = committed(s) ? s.number : last_truncate; break;
        case Step::Kind::wide:
          equal(fmt::format("select coalesce(sum(length(t)), 0)::bigint from wide where n = {}", s.number), committed(s) ? 9600 : 0);
          break;
        case Step::Kind::alter: altered += committed(s) ? s.number : 0; break;
        default: break;
      }
    }
    equal("select coalesce(sum(n), 0)::bigint from emptied", last_truncate);
    equal("select count(*) from pg_attribute where attrelid = 'altered'::regclass and attnum > 1", altered != 0 ? 1 : 0);
    if (altered != 0) equal(fmt::format("select sum(c_{0})::bigint from altered", altered), 50 * altered);
    // Crashes may have come before anything was done: then this was a clean start, or not.
    if (outcomes_[0] != Outcome::unknown) equal("select count(*) from fleeting", 0);
    query("insert into fleeting values (2)");
    equal("select count(*) from fleeting where n = 2", 1);
    query("truncate fleeting; checkpoint");   // removes what the truncation left
  }

  void changes_of_files() {
    int persistence = 'p', shrunk = 0;
    for (const Step& s : steps_) {
      if (s.kind == Step::Kind::persistence && committed(s)) persistence = s.argument;
      if (s.kind == Step::Kind::shrink && committed(s)) shrunk = 1;
      if (s.kind != Step::Kind::partitions) continue;
      equal(fmt::format("select count(*) from pg_class where relkind in ('r', 'p') and relname like 'parts\\_{}%'", s.argument),
            committed(s) ? kPartitions + 1 : 0);
      if (committed(s)) equal(fmt::format("select count(*) from parts_{} where n >= 0", s.argument), kPartitions);
    }
    equal("select count(*) from pg_class where relname = 'switched' and relpersistence = 'p'", persistence == 'p' ? 1 : 0);
    equal("select count(*) from switched", persistence == 'p' ? 60 : 0);
    equal("set enable_seqscan = off; set enable_bitmapscan = off; select count(*) from switched where n > 0", persistence == 'p' ? 60 : 0);
    query("reset enable_seqscan; reset enable_bitmapscan");
    equal("select count(*) from shrinking", shrunk != 0 ? 10 : 400);
    std::vector<std::int64_t> attached = query("select count(*) from pg_inherits where inhrelid = 'ranged_1'::regclass and not inhdetachpending");
    equal("select count(*) from ranged", attached == std::vector<std::int64_t>{1} ? 100 : 50);
    equal("select count(*) from ranged_1", 50);
  }

  // Indexes against heaps, rows and pages; what REINDEX CONCURRENTLY left invalid is read by nobody.
  void soundness() {
    query("select bt_index_parent_check(indexrelid, true) from pg_index where indisvalid and indexrelid >= 16384 and "
          "indexrelid in (select oid from pg_class where relkind = 'i' and relpersistence <> 't')");
    equal("select count(*) from pg_class c, verify_heapam(c.oid, check_toast => true) where c.relkind in ('r', 't') and c.relpersistence <> 't' "
          "and c.oid >= 16384", 0);
    equal("select count(*) from pg_index where indisprimary and not indisvalid", 0);
  }

  void files() {
    std::vector<std::int64_t> numbers = query("select pg_relation_filenode(oid)::bigint from pg_class where relkind in ('r', 'i', 't', 'S')");
    std::set<std::int64_t> owned(numbers.begin(), numbers.end());
    for (const std::string& name : storage::list_directory("base/5")) {
      auto parsed = storage::parse_relation_name(name);
      if (!parsed) continue;
      if (parsed->temp_owner >= 0 || !owned.contains(raw(parsed->relation))) wrong(fmt::format("orphan file base/5/{}", name));
    }
    for (const std::string& name : storage::list_directory("base/pgsql_tmp")) wrong(fmt::format("orphan file base/pgsql_tmp/{}", name));
    for (const std::string& name : storage::list_directory("pg_wal"))
      if (name.starts_with("xlogtemp")) wrong(fmt::format("orphan file pg_wal/{}", name));
  }

  // A database that is listed is whole, and no directory belongs to none.
  void databases() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].kind != Step::Kind::database) continue;
      std::vector<std::int64_t> oid = query(fmt::format("select oid::bigint from pg_database where datname = 'copied_{}'", steps_[i].argument));
      if (oid.empty() && outcomes_[i] == Outcome::acknowledged) wrong(fmt::format("LOST: database copied_{} was acknowledged", steps_[i].argument));
      if (!oid.empty()) whole_database(oid[0]);
    }
    std::vector<std::int64_t> known = query("select oid::bigint from pg_database");
    for (const std::string& name : storage::list_directory("base"))
      if (name.find_first_not_of("0123456789") == std::string::npos && std::find(known.begin(), known.end(), std::stoll(name)) == known.end())
        wrong(fmt::format("orphan directory base/{}", name));
  }

  // The catalogs' files are those of the database it was copied from, and their pages are sound.
  void whole_database(std::int64_t oid) {
    for (const std::string& name : storage::list_directory("base/5")) {
      auto parsed = storage::parse_relation_name(name);
      if (!parsed || parsed->fork != Fork::main || raw(parsed->relation) >= 16384) continue;
      std::ifstream copy(fmt::format("base/{}/{}", oid, name), std::ios::binary);
      if (!copy) {
        wrong(fmt::format("database {} lacks file {}", oid, name));
        continue;
      }
      alignas(8) std::byte page[kPageSize];
      for (std::uint32_t block = 0; copy.read(reinterpret_cast<char*>(page), kPageSize); ++block) {
        BlockTag tag{{storage::kDefaultTablespace, Oid{static_cast<std::uint32_t>(oid)}, parsed->relation}, Fork::main, BlockNumber{block}};
        bool is_new = PageView(page).is_new();
        if (is_new ? block == 0 : PageView(page).header().checksum != page_checksum(tag, page))
          wrong(fmt::format("database {}: page {} of file {} is damaged", oid, block, name));
      }
      if (copy.gcount() != 0) wrong(fmt::format("database {}: file {} ends within a page", oid, name));
    }
  }

  void still_works() {
    query(
        "update account set filler = 'checked' where id < 50; update account set filler = 'x' where id < 50; create table later (n int primary key); "
        "insert into later values (1); drop table later; checkpoint");
  }

  const std::vector<Step>& steps_;
  const Outcome* outcomes_;
  std::set<std::int64_t> committed_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> check_database(const std::vector<Step>& steps, const Outcome* outcomes) { return Checker(steps, outcomes).run(); }

}  // namespace hathi::crash
