/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/helper.h
 * \brief The process that reads debug information. A file may be made so that the libraries for it use all memory,
 * never end, or crash, which then affects this process alone.
 */
#ifndef SYMBOLIZE_HELPER_H
#define SYMBOLIZE_HELPER_H

/** Limits this process, and answers the requests of a socket until it is closed. Does not return. */
_Noreturn void helper_run(int socket_fd);

#endif
