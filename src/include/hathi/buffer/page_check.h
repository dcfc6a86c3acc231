#pragma once
// What is looked at when a page comes from disk, beside its checksum.

#include <cstddef>
#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi {

// Never written since the file grew?
bool page_is_zero(const std::byte* page);
// Do the header's fields make sense? For what checksums do not cover: clusters without them, and pages that were damaged in memory.
bool page_header_is_sane(const std::byte* page);

}  // namespace hathi

namespace hathi::buffer {

// Access methods check the structure of their pages as they come from disk, so that no code behind has to doubt line pointers: a page of a main or
// init fork with that much special space is refused (XX001) when the function says false.
using PageCheck = bool (*)(const BlockTag& tag, const std::byte* page);
void register_page_check(std::uint16_t special_size, PageCheck check);

}  // namespace hathi::buffer
