#pragma once
/// servers: the addresses of memcached servers. Written "host:port"; "host" means port 11211, and an IPv6 address with
/// a port is in brackets, "[::1]:11211". Every process of a cache must write the same addresses, in any order: which
/// server owns an element follows from how they are written.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

struct server_address {
  std::string host;
  std::uint16_t port = 11211;

  friend bool operator==(const server_address&, const server_address&) = default;
  friend std::string to_string(const server_address& a) {
    const bool v6 = a.host.find(':') != std::string::npos;
    return (v6 ? "[" + a.host + "]" : a.host) + ":" + std::to_string(a.port);
  }
};

/// At least one, none of them twice. Throws std::invalid_argument that names the address that is wrong.
class servers {
 public:
  servers(std::initializer_list<std::string> addresses) : servers(std::vector<std::string>(addresses)) {}
  explicit servers(const std::vector<std::string>& addresses) {
    if (addresses.empty())
      throw std::invalid_argument("plumbline: servers: the list is empty; give at least one \"host:port\"");
    for (const auto& text : addresses) {
      auto a = parsed(text);
      if (std::find(all_.begin(), all_.end(), a) != all_.end()) refuse(text, "is there twice; list each server once");
      all_.push_back(std::move(a));
    }
  }
  const std::vector<server_address>& addresses() const { return all_; }

 private:
  [[noreturn]] static void refuse(std::string_view text, const std::string& why) {
    throw std::invalid_argument("plumbline: servers: \"" + std::string(text) + "\" " + why);
  }
  static server_address parsed(std::string_view text) {
    std::string_view host = text, port;
    bool has_port = false;
    const auto split = [&](std::size_t colon) {
      has_port = colon != text.npos;
      host = text.substr(0, colon);
      if (has_port) port = text.substr(colon + 1);
    };
    if (text.starts_with('[')) {
      const auto end = text.find(']');
      if (end == text.npos || (end + 1 != text.size() && text[end + 1] != ':'))
        refuse(text, "has an unfinished address; write \"[::1]:11211\"");
      split(end + 1 == text.size() ? text.npos : end + 1);
      host = text.substr(1, end - 1);
    } else if (std::count(text.begin(), text.end(), ':') > 1) {
      refuse(text, "has several colons; write \"host:port\", or \"[::1]:11211\" for an IPv6 address");
    } else {
      split(text.find(':'));
    }
    if (host.empty() || std::any_of(host.begin(), host.end(), [](char c) { return c <= ' ' || c > '~' || c == '/'; }))
      refuse(text, "has no host name; write \"host:port\"");
    if (host.size() > 255) refuse(text, "has a host name of more than 255 characters; write \"host:port\"");
    server_address a{std::string(host)};
    if (has_port) {
      unsigned number = 0;
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
      if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > 65535)
        refuse(text, "has no port from 1 to 65535 after the colon; write \"host:port\"");
      a.port = static_cast<std::uint16_t>(number);
    }
    return a;
  }
  std::vector<server_address> all_;
};

}  // namespace plumbline
