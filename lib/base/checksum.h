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
 * Continues a checksum. \p checksum is 0 at first, then what the call for the preceding bytes returned. Uses the
 * processor's instruction if it has one. Thread-safe.
 */
uint32_t checksum_update(uint32_t checksum, const void *bytes, size_t length);

/** The same by tables, on any machine. Separate, so that a test can compare both. */
uint32_t checksum_update_portable(uint32_t checksum, const void *bytes, size_t length);

#endif
