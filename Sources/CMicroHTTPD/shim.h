#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* The variadic call is out of reach from Swift. One thread of the library polls all connections; it owns `socket` from
   here on and closes it when it stops. `cls` is handed to both callbacks. */
static inline struct MHD_Daemon *cmicrohttpd_start(
    int socket, MHD_AccessHandlerCallback handler, MHD_NotifyConnectionCallback connected, void *cls,
    unsigned int most_connections, unsigned int timeout_seconds, size_t connection_bytes) {
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, NULL, NULL, handler, cls, MHD_OPTION_LISTEN_SOCKET,
        (MHD_socket)socket, MHD_OPTION_NOTIFY_CONNECTION, connected, cls, MHD_OPTION_CONNECTION_LIMIT,
        most_connections, MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        connection_bytes, MHD_OPTION_END);
}

#endif
