/* SPDX-License-Identifier: MIT */
/**
 * \file control_peer.h
 * \brief Who is at the other end of a TCP connection within this machine.
 */
#ifndef CONTROL_PEER_H
#define CONTROL_PEER_H

/**
 * Whether a connected TCP socket leads to a process of this user or of the superuser. It does not if the other end is
 * not of this machine, or was closed already: the system does not keep its owner then.
 */
int control_peer_is_trusted(int fd);

#endif
