/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_build_id.h
 * \brief Finds the build ID among the notes of an ELF file or image.
 */
#ifndef RECORDER_ELF_BUILD_ID_H
#define RECORDER_ELF_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/** Room for a build ID of up to 32 bytes in hexadecimal. */
#define ELF_BUILD_ID_TEXT 65

/**
 * Looks through notes. \p alignment is that of their segment or section. Returns 1 with the ID as text; 0, with \p text
 * left as it was, if there is none, or one that is too long.
 */
int elf_build_id_find(const uint8_t *notes, size_t length, uint64_t alignment, char text[ELF_BUILD_ID_TEXT]);

#endif
