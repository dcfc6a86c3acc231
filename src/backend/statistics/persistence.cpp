// Statistics over a clean restart: one file, written when the server has stopped in order, read and removed at the next start.
//
// File: magic (8 bytes), server counters, reset times, number of entries, the entries (key, values), xxh64 of all before it.

#include <unistd.h>
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "hathi/error/report.h"
#include "store.h"

namespace hathi::statistics {

namespace {

constexpr std::uint64_t kMagic = 0x48617468'69537401u;   // the last byte is the format's version

struct SavedEntry {
  EntryKey key;
  std::uint32_t padding;
  std::uint64_t values[value::value_count];
};

template <class T>
void put(std::string& out, const T& v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }

template <class T>
bool take(std::string_view& in, T& v) {
  if (in.size() < sizeof v) return false;
  std::memcpy(static_cast<void*>(&v), in.data(), sizeof v);
  in.remove_prefix(sizeof v);
  return true;
}

std::string contents() {
  std::string out;
  put(out, kMagic);
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::shared);
  for (const auto& v : shared_store->server) put(out, v.load());
  for (std::int64_t t : shared_store->reset_times) put(out, t);
  std::uint64_t count = 0;
  for (Entry* head : shared_store->buckets) {
    for (Entry* e = head; e != nullptr; e = e->next) ++count;
  }
  put(out, count);
  for (Entry* head : shared_store->buckets) {
    for (Entry* e = head; e != nullptr; e = e->next) {
      SavedEntry saved{e->key, 0, {}};
      std::copy(std::begin(e->values), std::end(e->values), saved.values);
      put(out, saved);
    }
  }
  put(out, static_cast<std::uint64_t>(XXH64(out.data(), out.size(), 0)));
  return out;
}

bool read_all(const std::string& path, std::string& out) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (file == nullptr) return false;
  char block[65536];
  while (std::size_t n = std::fread(block, 1, sizeof block, file.get())) out.append(block, n);
  return true;
}

bool restore(std::string_view in) {
  std::uint64_t magic = 0, count = 0, sum = 0;
  if (in.size() < 2 * sizeof magic) return false;
  std::memcpy(&sum, in.data() + in.size() - sizeof sum, sizeof sum);
  in.remove_suffix(sizeof sum);
  if (XXH64(in.data(), in.size(), 0) != sum || !take(in, magic) || magic != kMagic) return false;
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  for (auto& v : shared_store->server) {
    std::uint64_t saved = 0;
    if (!take(in, saved)) return false;
    v.store(saved);
  }
  for (std::int64_t& t : shared_store->reset_times) {
    if (!take(in, t)) return false;
  }
  if (!take(in, count) || in.size() != count * sizeof(SavedEntry)) return false;
  for (SavedEntry saved; take(in, saved);) {
    Entry* e = find_or_make(saved.key);
    if (e == nullptr) return true;
    std::copy(std::begin(saved.values), std::end(saved.values), e->values);
  }
  return true;
}

}  // namespace

void load(const std::string& path) {
  std::string in;
  if (!read_all(path, in)) return;
  ::unlink(path.c_str());   // after a crash the counts would be wrong
  if (!restore(in)) report_warning(sqlstate::data_corrupted, "corrupted statistics file \"{}\"", path);
}

void save(const std::string& path) {
  std::string out = contents();
  std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "we");
  bool good = file != nullptr && std::fwrite(out.data(), 1, out.size(), file) == out.size();
  if (file != nullptr) good = std::fclose(file) == 0 && good;
  if (good) good = std::rename(temporary.c_str(), path.c_str()) == 0;
  if (good) return;
  report_warning(sqlstate::io_error, "could not write statistics file \"{}\": {}", path, std::strerror(errno));
  ::unlink(temporary.c_str());
}

}  // namespace hathi::statistics
