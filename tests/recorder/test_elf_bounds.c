/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_elf_bounds.c
 * \brief Bounds of functions from the unwinding tables: those of this program against its symbols, and against the
 * entries that the modules find in the same tables in memory; and damaged files.
 */
#include "recorder/system/elf_symbols.h"

#include "base/caller_structs.h"
#include "shared/loader.h"
#include "shared/own_tables.h"

#include <criterion/criterion.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_FILE "/proc/self/exe"
#define VARIATIONS 300

/* There is no child here that could find the lock of the loader held. */
int loader_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user)
{
	return dl_iterate_phdr(visit, user);
}

static void begin(elf_symbols *symbols)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	elf_symbols_init(symbols, &allocator);
}

/* The program is the first in the list. */
static int find_base(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	*(uint64_t *)user = info->dlpi_addr;
	return 1;
}

static uint64_t address_in_file(void (*function)(elf_symbols *))
{
	uint64_t base = 0;

	dl_iterate_phdr(find_base, &base);
	return (uint64_t)(uintptr_t)function - base;
}

Test(elf_bounds, those_of_symbols)
{
	const uint64_t address = address_in_file(begin);
	elf_symbols symbols;
	elf_symbols bounds;
	size_t equal = 0;

	begin(&symbols);
	cr_assert_eq(elf_symbols_add_file(&symbols, OWN_FILE, ""), 1);
	elf_symbols_sort(&symbols);
	begin(&bounds);
	elf_bounds_read(&bounds, OWN_FILE, "");
	cr_assert_not_null(elf_symbols_find(&bounds, address));
	cr_assert_eq(elf_symbols_find(&bounds, address)->start, address);
	for (size_t i = 0; i < bounds.count; i++) {
		const elf_symbol *symbol = elf_symbols_find(&symbols, bounds.symbols[i].start);

		cr_assert_lt(bounds.symbols[i].start, bounds.symbols[i].end);
		equal += symbol != NULL && symbol->start == bounds.symbols[i].start &&
			 symbol->end == bounds.symbols[i].end;
	}
	/* All but those of the C library's start code and of the table of linked functions. */
	cr_assert_gt(equal, 20);
	cr_assert_leq(bounds.count - equal, 8);
	elf_symbols_destroy(&symbols);
	elf_symbols_destroy(&bounds);
}

/* The modules unwind stacks by these tables, and read them where they are loaded. */
Test(elf_bounds, those_of_the_modules)
{
	const uint64_t address = address_in_file(begin);
	const uint64_t base = (uint64_t)(uintptr_t)begin - address;
	elf_symbols bounds;

	begin(&bounds);
	elf_bounds_read(&bounds, OWN_FILE, "");
	cr_assert_gt(bounds.count, 20);
	for (size_t i = 0; i < bounds.count; i++) {
		const elf_symbol *function = &bounds.symbols[i];
		unwind_entry entry;

		cr_assert(own_tables_find((uintptr_t)(base + function->start), &entry));
		cr_assert_eq(entry.start, base + function->start);
		cr_assert(own_tables_find((uintptr_t)(base + function->end - 1), &entry));
		cr_assert_eq(entry.start, base + function->start);
	}
	elf_symbols_destroy(&bounds);
}

Test(elf_bounds, another_build_has_none)
{
	elf_symbols bounds;

	begin(&bounds);
	elf_bounds_read(&bounds, OWN_FILE, "00");
	cr_assert_eq(bounds.count, 0);
	elf_bounds_read(&bounds, "/dev/null", "");
	cr_assert_eq(bounds.count, 0);
	elf_symbols_destroy(&bounds);
}

static uint8_t *read_own_file(size_t *length)
{
	FILE *file = fopen(OWN_FILE, "re");
	uint8_t *bytes;

	cr_assert_not_null(file);
	fseek(file, 0, SEEK_END);
	*length = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*length);
	cr_assert_not_null(bytes);
	cr_assert_eq(fread(bytes, 1, *length, file), *length);
	fclose(file);
	return bytes;
}

static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Whatever is read, no function ends before it begins, and nothing outside of the file is read. */
static void read_variation(const char *path, const uint8_t *bytes, size_t length)
{
	FILE *file = fopen(path, "we");
	elf_symbols bounds;

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, length, file), length);
	fclose(file);
	begin(&bounds);
	elf_bounds_read(&bounds, path, "");
	for (size_t i = 0; i < bounds.count; i++)
		cr_assert_lt(bounds.symbols[i].start, bounds.symbols[i].end);
	elf_symbols_destroy(&bounds);
}

Test(elf_bounds, damaged_files)
{
	char path[] = "/tmp/mprof-test-XXXXXX";
	int fd = mkstemp(path);
	uint32_t state = 1;
	size_t length;
	uint8_t *bytes = read_own_file(&length);
	elf_image image;
	elf_segment index = {0};

	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert(elf_image_open_file(&image, OWN_FILE));
	for (uint32_t i = 0; index.type != PT_GNU_EH_FRAME; i++)
		cr_assert(elf_image_segment(&image, i, &index));
	elf_image_close(&image);
	for (int i = 0; i < VARIATIONS; i++) {
		/* The headers of the file, the index, and the table, which is after it. */
		const size_t area = i % 3 == 0 ? 0 : (size_t)index.offset;
		const size_t room = i % 3 == 0 ? 1024 : i % 3 == 1 ? 16 : (size_t)index.size * 4;
		uint8_t *changed = bytes + area + next_number(&state) % room;
		const uint8_t before = *changed;

		*changed = (uint8_t)next_number(&state);
		read_variation(path, bytes, i % 5 == 0 ? next_number(&state) % length : length);
		*changed = before;
	}
	unlink(path);
	free(bytes);
}
