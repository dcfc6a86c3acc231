#include "hathi/catalog/startup.h"

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/catalog/versions.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/orphan_files.h"
#include "src/backend/catalog/privileges.h"
#include "src/backend/catalog/relation_cache.h"
#include "hathi/catalog/shared_store.h"
#include "src/backend/catalog/temporary.h"
#include "src/backend/catalog/toast_access.h"
#include "src/backend/catalog/user_readers.h"

namespace hathi::catalog {

namespace {

void at_end_of_transaction(transaction::Event event) {
  if (event == transaction::Event::pre_commit) return;
  end_name_caches();
  end_type_caches();
  end_operator_caches();
  end_database_caches();
  end_privilege_caches();
  trim_relation_cache();
  shared_store::end_of_transaction();
}

}  // namespace

void initialize() {
  static bool done = false;
  if (done) return;
  done = true;
  load_builtin_objects();
  build_catalog_descriptors();
  versions::install();
  UserObjects readers;
  add_name_readers(readers);
  add_type_readers(readers);
  add_operator_readers(readers);
  set_user_objects(readers);
  transaction::register_hook(at_end_of_transaction);
  install_temporary_hooks();
  install_toast_access();
  register_orphan_removal();
}

namespace {

std::size_t versions_size() { return (versions::size() + 4095) & ~std::size_t{4095}; }

}  // namespace

std::size_t shared_size() { return versions_size() + shared_store::size(); }
void shared_init(void* memory) {
  versions::init(memory);
  shared_store::init(static_cast<std::byte*>(memory) + versions_size());
}

}  // namespace hathi::catalog
