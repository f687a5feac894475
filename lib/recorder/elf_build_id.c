/* SPDX-License-Identifier: MIT */
/* Finds the build ID in the notes of an ELF file. */
#include "recorder/elf_build_id.h"

#include <elf.h>
#include <string.h>

#ifndef NT_GNU_BUILD_ID
#define NT_GNU_BUILD_ID 3
#endif

/* Rounds up a 32-bit length, which cannot overflow in 64 bits. */
static uint64_t pad_length(uint32_t length, uint64_t alignment)
{
	return ((uint64_t)length + alignment - 1) & ~(alignment - 1);
}

static void write_text(const uint8_t *bytes, size_t length, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < length; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * length] = '\0';
}

int elf_build_id_find(const uint8_t *notes, size_t length, uint64_t alignment, char text[ELF_BUILD_ID_TEXT])
{
	/* Other values in the header are ignored: notes are aligned to 8 bytes or, nearly always, to 4. */
	uint64_t step = alignment == 8 ? 8 : 4;
	uint32_t header[3];
	size_t at = 0;

	while (length - at >= sizeof(header)) {
		uint64_t name;
		uint64_t contents;
		uint64_t end;

		memcpy(header, notes + at, sizeof(header));
		name = at + sizeof(header);
		contents = name + pad_length(header[0], step);
		end = contents + header[1];
		if (end > length)
			return 0;
		if (header[2] == NT_GNU_BUILD_ID && header[0] == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
		    header[1] > 0 && header[1] <= (ELF_BUILD_ID_TEXT - 1) / 2) {
			write_text(notes + contents, header[1], text);
			return 1;
		}
		end = contents + pad_length(header[1], step);
		if (end > length)
			return 0;
		at = (size_t)end;
	}
	return 0;
}
