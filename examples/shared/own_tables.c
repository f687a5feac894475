/* SPDX-License-Identifier: MIT */
/* Finds the unwinding tables of the programs and libraries of this process. */
#include "shared/own_tables.h"

#include "shared/loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

/* At least this much of a module is mapped at its start. */
#define FIRST_PAGE 4096

static int find_segment(struct dl_phdr_info *module, size_t size, void *user)
{
	unwind_segment *segment = user;
	uintptr_t index = 0;
	int is_found = 0;

	(void)size;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_GNU_EH_FRAME)
			index = start;
		else if (header->p_type == PT_LOAD)
			is_found |= segment->address - start < header->p_memsz;
	}
	if (!is_found)
		return 0;
	for (int i = 0; index != 0 && i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || (header->p_flags & PF_R) == 0 || index - start >= header->p_filesz)
			continue;
		segment->index = (const uint8_t *)index; // NOLINT(performance-no-int-to-ptr)
		segment->start = segment->index - (index - start);
		segment->end = segment->start + header->p_filesz;
	}
	return 1;
}

int own_tables_find(uintptr_t address, unwind_entry *entry)
{
	unwind_segment segment = {address, NULL, NULL, NULL};

	(void)loader_visit(find_segment, &segment);
	return unwind_tables_find_in(&segment, entry);
}

#if defined(__linux__) && defined(__GLIBC__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
/* Finds the segment with the index in the program headers, which the first page of a module contains. */
static void find_table_segment(const struct dl_find_object *object, unwind_segment *segment)
{
	const uint8_t *const module = object->dlfo_map_start;
	const uintptr_t index = (uintptr_t)object->dlfo_eh_frame;
	const ElfW(Ehdr) *header = (const void *)module;
	const ElfW(Phdr) *programs = (const void *)(module + header->e_phoff);

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(*programs) ||
	    header->e_phoff + header->e_phnum * sizeof(*programs) > FIRST_PAGE)
		return;
	for (int i = 0; i < header->e_phnum; i++) {
		const uintptr_t start = object->dlfo_link_map->l_addr + programs[i].p_vaddr;

		if (programs[i].p_type != PT_LOAD || (programs[i].p_flags & PF_R) == 0 ||
		    index - start >= programs[i].p_filesz)
			continue;
		segment->index = object->dlfo_eh_frame;
		segment->start = segment->index - (index - start);
		segment->end = segment->start + programs[i].p_filesz;
	}
}

int own_tables_find_on_stack(uintptr_t address, unwind_entry *entry)
{
	unwind_segment segment = {address, NULL, NULL, NULL};
	struct dl_find_object object;

	// NOLINTNEXTLINE(performance-no-int-to-ptr)
	if (_dl_find_object((void *)address, &object) != 0 || object.dlfo_eh_frame == NULL)
		return 0;
	find_table_segment(&object, &segment);
	return unwind_tables_find_in(&segment, entry);
}
#else
int own_tables_find_on_stack(uintptr_t address, unwind_entry *entry)
{
	(void)address;
	(void)entry;
	return 0;
}
#endif
