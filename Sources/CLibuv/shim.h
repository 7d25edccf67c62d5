/* CLibuv: what NapkinTransport sees of libuv, and of timerfd, which Swift's Glibc module lacks.
 *
 * Nothing but the headers themselves: libuv 1.44's functions and structures all come over into Swift
 * as they are. The rules of libuv that this project leans on, each quoted where it binds:
 *
 *   - a handle's memory must stay until its close callback has run (uv_close);
 *   - a request's memory must stay until its own callback has run (uv_write, uv_shutdown), and
 *     all of them run, with UV_ECANCELED, before the close callback of their handle;
 *   - uv_async_send is the only function here that another thread may call.
 *
 * Sources: docs.libuv.org/en/v1.x: handle, request, async, design.
 */
#ifndef NAPKIN_CLIBUV_SHIM_H
#define NAPKIN_CLIBUV_SHIM_H

#include <sys/timerfd.h>
#include <uv.h>

#endif
