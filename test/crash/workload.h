#pragma once
// What the fault sweep runs, and how it tells afterwards that nothing acknowledged is lost.

#include <cstdint>
#include <string>
#include <vector>

namespace hathi::crash {

// One step: SQL that commits once. Its own number is in table `log` exactly when it committed (0: it leaves no trace).
struct Step {
  enum class Kind : std::uint8_t {
    transfer, create_table, create_index, truncate, drop_table, savepoint, wide, sequence, alter, persistence, shrink, partitions, database, quiet
  } kind;
  int number;
  int argument;
  std::string sql;
};

// What became of a step, as the client knows it. Kept in memory that survives the life.
enum class Outcome : std::uint8_t { unknown, started, acknowledged, failed };

// Run once on a fresh cluster.
const char* setup_sql();
// The steps, different for each seed.
std::vector<Step> make_steps(unsigned seed);
// Checks the database against the outcomes; returns what is wrong, one line each. Runs SQL.
std::vector<std::string> check_database(const std::vector<Step>& steps, const Outcome* outcomes);

// First column of all rows, integers or booleans as numbers, text and others as their length. Throws SqlError.
std::vector<std::int64_t> query(const std::string& sql);

}  // namespace hathi::crash
