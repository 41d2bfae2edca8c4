// Whether the client of a request is still there.
#pragma once

#include <string>

namespace bough::server {

/// The socket that is connected to this address and port, or -1. cpp-httplib keeps it to itself.
int socket_to(const std::string& address, int port);

/// Whether the other end has closed the connection.
bool has_gone(int socket);

}  // namespace bough::server
