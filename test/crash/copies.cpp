#include "copies.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

namespace hathi::crash {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 4096;

// What a cluster has, by path within it; directories before what is in them.
struct Image {
  std::set<std::string> directories;
  std::map<std::string, std::string_view> files;   // mapped, so that a fork does not copy it
};

std::string_view map_file(const fs::path& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat st {};
  if (fd < 0 || ::fstat(fd, &st) < 0) std::abort();
  if (st.st_size == 0) return ::close(fd), std::string_view();
  auto size = static_cast<std::size_t>(st.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED) std::abort();
  ::close(fd);
  return {static_cast<const char*>(start), size};
}

void collect(const fs::path& from, const std::string& within, bool whole, Image& image) {
  for (const auto& entry : fs::directory_iterator(from)) {
    std::string name = entry.path().filename();
    if (!whole && from.filename() == "base" && name != "5" && name != "pgsql_tmp") continue;
    if (entry.is_regular_file()) image.files.emplace(within + name, map_file(entry.path()));
    if (!entry.is_directory()) continue;
    image.directories.insert(within + name);
    collect(entry.path(), within + name + "/", whole, image);
  }
}

// One file, in place. A file with a second name is made anew: the other name must not change with it.
void restore(const std::string& path, std::string_view wanted) {
  struct stat st {};
  if (::lstat(path.c_str(), &st) == 0 && (st.st_nlink > 1 || !S_ISREG(st.st_mode))) fs::remove_all(path);
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::fstat(fd, &st) < 0) std::abort();
  auto size = static_cast<off_t>(wanted.size());
  auto had = static_cast<std::size_t>(std::min(st.st_size, size));
  if (st.st_size != size && ::ftruncate(fd, size) < 0) std::abort();
  static char buffer[1 << 16];
  for (std::size_t at = 0; at < wanted.size(); at += sizeof buffer) {
    std::string_view part = wanted.substr(at, sizeof buffer);
    std::size_t known = at < had ? std::min(part.size(), had - at) : 0;
    if (known > 0 && ::pread(fd, buffer, known, static_cast<off_t>(at)) != static_cast<ssize_t>(known)) std::abort();
    std::memset(buffer + known, 0, part.size() - known);   // as the file was lengthened
    if (std::memcmp(buffer, part.data(), part.size()) == 0) continue;
    for (std::size_t p = 0; p < part.size(); p += kPiece) {
      std::string_view piece = part.substr(p, kPiece);
      if (std::memcmp(buffer + p, piece.data(), piece.size()) == 0) continue;
      if (::pwrite(fd, piece.data(), piece.size(), static_cast<off_t>(at + p)) != static_cast<ssize_t>(piece.size())) std::abort();
    }
  }
  ::close(fd);
}

void remove_what_is_not_in(const Image& image, const fs::path& to, const std::string& within) {
  for (const auto& entry : fs::directory_iterator(to)) {
    std::string name = within + entry.path().filename().string();
    bool directory = entry.is_directory() && !entry.is_symlink();
    if (directory ? image.directories.contains(name) : image.files.contains(name)) {
      if (directory) remove_what_is_not_in(image, entry.path(), name + "/");
    } else {
      fs::remove_all(entry.path());
    }
  }
}

void make_same(const Image& image, const std::string& to) {
  fs::create_directories(to);
  remove_what_is_not_in(image, to, "");
  for (const std::string& name : image.directories) fs::create_directory(fs::path(to) / name);
  for (const auto& [name, bytes] : image.files) restore(fs::path(to) / name, bytes);
}

void unmap(const Image& image) {
  for (const auto& [name, bytes] : image.files)
    if (!bytes.empty()) ::munmap(const_cast<char*>(bytes.data()), bytes.size());
}

}  // namespace

void fresh_copy(const std::string& from, const std::string& place) {
  static std::map<std::string, Image> images;
  auto [image, is_new] = images.try_emplace(from);
  if (is_new) collect(from, "", false, image->second);
  fs::current_path("/");
  fs::remove_all(place + "/trash");
  fs::create_directories(place + "/trash");
  make_same(image->second, place + "/data");
  fs::current_path(place + "/data");
}

void copy_directory(const std::string& from, const std::string& to) {
  Image image;
  collect(from, "", true, image);
  make_same(image, to);
  unmap(image);
}

}  // namespace hathi::crash
