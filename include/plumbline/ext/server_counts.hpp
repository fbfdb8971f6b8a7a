#pragma once
/// server_counts: what cache(servers) has asked of one server.

#include <cstdint>
#include <string>

namespace plumbline {

/// In all runs of a cache's pipeline in this process.
struct server_counts {
  std::string server;
  std::uint64_t found = 0, missing = 0, damaged = 0;  ///< elements looked up; damaged ones are missing
  std::uint64_t kept = 0, refused = 0;                ///< elements made; refused: the server is full
  std::uint64_t failed = 0;                           ///< requests without a usable reply
  std::uint64_t not_asked = 0;                        ///< look-ups that were missed while the server was left alone
  bool down = false;                                  ///< it is left alone now, because it failed
  std::string problem{};                              ///< its last failure
};

}  // namespace plumbline
