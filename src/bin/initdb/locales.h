#pragma once

#include "options.h"

namespace hathi::initdb {

// Fills in all locales (from the environment where not given) and the encoding; ends the program when one is unknown or they do not fit.
void settle_locales(Options& options);
// "The database cluster will be initialized with …"
void print_locales(const Options& options);

}  // namespace hathi::initdb
