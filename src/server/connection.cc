#include "server/connection.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace bough::server {

namespace {

bool is_peer(int socket, const std::string& address, int port) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (peer.ss_family == AF_INET) {
    const auto& own = reinterpret_cast<const sockaddr_in&>(peer);
    ::inet_ntop(AF_INET, &own.sin_addr, text.data(), text.size());
    return ntohs(own.sin_port) == port && address == text.data();
  }
  if (peer.ss_family == AF_INET6) {
    const auto& own = reinterpret_cast<const sockaddr_in6&>(peer);
    ::inet_ntop(AF_INET6, &own.sin6_addr, text.data(), text.size());
    return ntohs(own.sin6_port) == port && address == text.data();
  }
  return false;
}

int find_socket(const std::string& address, int port) {
  std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir("/proc/self/fd"), ::closedir);
  if (!open) return -1;
  while (const dirent* entry = ::readdir(open.get())) {
    int number = std::atoi(entry->d_name);
    if (number > 2 && is_peer(number, address, port)) return number;
  }
  return -1;
}

}  // namespace

int socket_to(const std::string& address, int port) {
  // A connection keeps its thread: most often it is the one of the request before.
  thread_local int last = -1;
  if (last < 0 || !is_peer(last, address, port)) last = find_socket(address, port);
  return last;
}

bool has_gone(int socket) {
  char byte = 0;
  auto count = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace bough::server
