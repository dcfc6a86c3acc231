#pragma once
// What the real server consists of.

#include <string>

#include "hathi/postmaster/postmaster.h"

namespace hathi::postmaster {

// Everything expensive, once in the image that all processes are forked from: function registry, tables of built-in objects, redo
// functions, hooks between layers. The settings are defined and loaded before.
void initialise_server();
const ServerParts& server_parts();

}  // namespace hathi::postmaster
