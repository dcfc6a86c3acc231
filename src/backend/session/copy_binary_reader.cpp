// Input of COPY FROM in the binary format cut into rows and fields.

#include "copy.h"

namespace hathi::session {

namespace {

constexpr std::string_view kSignature{"PGCOPY\n\377\r\n\0", 11};

class BinaryRowReader : public CopyReader {
 public:
  BinaryRowReader(CopySource& source, const CopyOptions& options, std::size_t columns) : CopyReader(source, options), columns_(columns) { read_header(); }

  bool next(std::vector<Field>& fields) override {
    if (at_end_) return false;
    buffer_.erase(0, position_);
    position_ = 0;
    ++line_number_;
    if (!have(2)) {
      at_end_ = true;   // files of old versions lack the trailer
      return false;
    }
    int count = take16();
    if (count == -1) {
      if (have(1)) throw SqlError(sqlstate::bad_copy_file_format, "received copy data after EOF marker");
      at_end_ = true;
      return false;
    }
    if (count != static_cast<int>(columns_)) {
      throw SqlError(sqlstate::bad_copy_file_format, "row field count is {}, expected {}", count, columns_);
    }
    // Bytes first, views after: the buffer moves while it grows.
    places_.clear();
    for (std::size_t i = 0; i < columns_ && find_field(); ++i) {}
    fields.clear();
    for (auto [at, size] : places_) {
      fields.push_back({std::string_view(buffer_).substr(at, size <= 0 ? 0 : static_cast<std::size_t>(size)), size < 0});
    }
    return true;
  }

 private:
  // Finds the next field's place; false when it is damaged, which matters once the fields before it are taken.
  bool find_field() {
    if (!have(4)) return fail(SqlError(sqlstate::bad_copy_file_format, "unexpected EOF in COPY data"));
    int size = take32();
    if (size < -1) return fail(SqlError(sqlstate::bad_copy_file_format, "invalid field size"));
    constexpr int kTooLarge = 0x3FFFFFFF;   // nothing of that size is a value
    if (size >= kTooLarge) {
      return fail(SqlError(sqlstate::program_limit_exceeded, "out of memory")
                      .detail(fmt::format("Cannot enlarge string buffer containing 0 bytes by {} more bytes.", size)));
    }
    if (size > 0 && !have(static_cast<std::size_t>(size))) return fail(SqlError(sqlstate::bad_copy_file_format, "unexpected EOF in COPY data"));
    places_.emplace_back(position_, size);
    if (size > 0) position_ += static_cast<std::size_t>(size);
    return true;
  }
  bool fail(SqlError error) {
    damage_ = std::move(error);
    return false;
  }
  bool have(std::size_t n) {
    while (buffer_.size() - position_ < n) {
      if (!source_.read(buffer_)) return false;
    }
    return true;
  }
  int take16() {
    auto* p = reinterpret_cast<const unsigned char*>(buffer_.data()) + position_;
    position_ += 2;
    return static_cast<std::int16_t>((p[0] << 8) | p[1]);
  }
  int take32() {
    auto* p = reinterpret_cast<const unsigned char*>(buffer_.data()) + position_;
    position_ += 4;
    return static_cast<std::int32_t>((std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) | p[3]);
  }
  void read_header() {
    if (!have(kSignature.size()) || buffer_.compare(0, kSignature.size(), kSignature) != 0) {
      throw SqlError(sqlstate::bad_copy_file_format, "COPY file signature not recognized");
    }
    position_ = kSignature.size();
    if (!have(4)) throw SqlError(sqlstate::bad_copy_file_format, "invalid COPY file header (missing flags)");
    int flags = take32();
    if ((flags & (1 << 16)) != 0) throw SqlError(sqlstate::bad_copy_file_format, "invalid COPY file header (WITH OIDS)");
    if ((flags & ~0xFFFF) != 0) throw SqlError(sqlstate::bad_copy_file_format, "unrecognized critical flags in COPY file header");
    if (!have(4)) throw SqlError(sqlstate::bad_copy_file_format, "invalid COPY file header (missing length)");
    int extension = take32();
    if (extension < 0) throw SqlError(sqlstate::bad_copy_file_format, "invalid COPY file header (missing length)");
    if (!have(static_cast<std::size_t>(extension))) throw SqlError(sqlstate::bad_copy_file_format, "invalid COPY file header (wrong length)");
    position_ += static_cast<std::size_t>(extension);
  }

  std::size_t columns_;
  std::string buffer_;
  std::size_t position_ = 0;
  bool at_end_ = false;
  std::vector<std::pair<std::size_t, int>> places_;
};

}  // namespace

std::unique_ptr<CopyReader> make_binary_reader(CopySource& source, const CopyOptions& options, std::size_t columns) {
  return std::make_unique<BinaryRowReader>(source, options, columns);
}

}  // namespace hathi::session
