/* SPDX-License-Identifier: MIT */
/**
 * \file base/checksum.h
 * \brief CRC-32C (Castagnoli): the checksum of mprof2 blocks.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * Goes on with a checksum. \p checksum is 0 to begin with, or what a call returned for the bytes before these. By the
 * processor's own instruction where it has one. Thread-safe.
 */
uint32_t checksum_update(uint32_t checksum, const void *bytes, size_t length);

/** The same by tables, on any machine; apart so that a test can hold both against each other. */
uint32_t checksum_update_portable(uint32_t checksum, const void *bytes, size_t length);

#endif
