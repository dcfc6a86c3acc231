// Where versions meet transactions.

#include "hathi/catalog/versions.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/versions_state.h"

namespace hathi::catalog::versions {

void install() {
  own_changes.current_command = [] { return transaction::current_command(false); };
  transaction::set_descriptor_hooks(mark_changing, publish);
  transaction::register_hook([](transaction::Event event) {
    if (event != transaction::Event::pre_commit && !own_changes.empty()) own_changes.clear();
  });
  transaction::register_subtransaction_hook([](transaction::Event event, int) {
    if (event == transaction::Event::abort && !own_changes.empty()) own_changes.renew_all();
  });
}

void note(std::uint32_t slot) {
  own_changes.add(slot);
  transaction::note_changed_descriptor(slot);
}

}  // namespace hathi::catalog::versions
