/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_bounds.h
 * \brief Where functions begin and end, from the unwinding tables (.eh_frame) that files keep when they are stripped.
 *
 * Nothing in a file is trusted: a damaged, truncated or malicious file results in fewer or wrong functions.
 */
#ifndef RECORDER_ELF_BOUNDS_H
#define RECORDER_ELF_BOUNDS_H

#include "recorder/elf_symbols.h"

/**
 * Adds the functions of a file, without names, and sorts them. Call it once. \p build_id: as in
 * elf_symbols_add_file().
 */
void elf_bounds_read(elf_symbols *bounds, const char *path, const char *build_id);

#endif
