// servers{...}: what an address may be, and what is wrong with one that is not.
#include <plumbline/ext/server_list.hpp>

#include <catch2/catch.hpp>

namespace pl = plumbline;
using Catch::Matchers::Contains;

TEST_CASE("servers: addresses") {
  const pl::servers all{"node1:4000", "node2", "[::1]:7", "[fe80::2]"};
  std::vector<std::string> text;
  for (const auto& a : all.addresses()) text.push_back(to_string(a));
  CHECK(text == std::vector<std::string>{"node1:4000", "node2:11211", "[::1]:7", "[fe80::2]:11211"});
  CHECK(pl::servers(std::vector<std::string>{"a:1", "a:2"}).addresses().size() == 2);
}

TEST_CASE("servers: an address that is wrong is an error that says what to write") {
  CHECK_THROWS_WITH(pl::servers(std::vector<std::string>{}), Contains("give at least one \"host:port\""));
  for (const std::string bad :
       {"node1:0", "node1:65536", "node1:", "node1:x", "node1:1 ", "node1:-1", "node1:99999999999"})
    CHECK_THROWS_WITH(pl::servers({"good:1", bad}), Contains('"' + bad + "\" has no port from 1 to 65535"));
  for (const std::string bad : {"", ":1", "no de:1", "http://node:1"})
    CHECK_THROWS_WITH(pl::servers{bad}, Contains("host:port"));
  CHECK_THROWS_WITH(pl::servers{"::1"}, Contains("\"[::1]:11211\" for an IPv6 address"));
  CHECK_THROWS_WITH(pl::servers{"[::1"}, Contains("unfinished"));
  CHECK_THROWS_WITH(pl::servers{"[::1]7"}, Contains("unfinished"));
  CHECK_THROWS_WITH(pl::servers({"a:1", "b:1", "a:1"}), Contains("\"a:1\" is there twice"));
  CHECK_THROWS_WITH(pl::servers({"a", "a:11211"}), Contains("list each server once"));
}
