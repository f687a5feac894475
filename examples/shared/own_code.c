/* SPDX-License-Identifier: MIT */
/* Finds the executable segments of the module and of the library among those of the process. */
#include "shared/own_code.h"

#include <mprof/recorder.h>

#include <link.h>
#include <stddef.h>

/* The module and the library have one executable segment each; both are one file if they are linked statically. */
#define MAX_SEGMENTS 4

typedef struct code_segment {
	uintptr_t start;
	uintptr_t size;
} code_segment;

/* Constant once samples are taken. */
static code_segment segments[MAX_SEGMENTS];
static size_t segment_count;

static int contains(const code_segment *segment, uintptr_t address)
{
	return address - segment->start < segment->size;
}

static int add_segments(struct dl_phdr_info *file, size_t size, void *argument)
{
	const uintptr_t known[] = {(uintptr_t)own_code_find, (uintptr_t)mprof_recorder_record_sample};

	(void)size;
	(void)argument;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &file->dlpi_phdr[i];
		code_segment segment = {file->dlpi_addr + header->p_vaddr, header->p_memsz};

		if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0 || segment_count == MAX_SEGMENTS)
			continue;
		if (contains(&segment, known[0]) || contains(&segment, known[1]))
			segments[segment_count++] = segment;
	}
	return 0;
}

void own_code_find(void)
{
	segment_count = 0;
	(void)dl_iterate_phdr(add_segments, NULL);
}

int own_code_contains(uintptr_t address)
{
	for (size_t i = 0; i < segment_count; i++)
		if (contains(&segments[i], address))
			return 1;
	return 0;
}
