/* SPDX-License-Identifier: MIT */
/**
 * \file control_peer.h
 * \brief Finds the user at the other end of a TCP connection within this machine.
 */
#ifndef CONTROL_PEER_H
#define CONTROL_PEER_H

/**
 * Whether the other end of a connected TCP socket belongs to a process of this user or of the superuser. Returns 0 if
 * the other end is on another machine or was closed already: then the system does not report its owner.
 */
int control_peer_is_trusted(int fd);

#endif
