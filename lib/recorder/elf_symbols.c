/* SPDX-License-Identifier: MIT */
/* Reads the functions of ELF files, and finds the function at an address. */
#include "recorder/elf_symbols.h"

#include "base/array.h"
#include "base/sort.h"
#include "recorder/elf_build_id.h"

#include <elf.h>
#include <string.h>

/* Bytes of a symbol table that are read at once, a multiple of both entry sizes. */
#define TABLE_PIECE 6144
#define MAX_NOTES 16384
/* Maximum number of symbol tables in a file; linkers create two. */
#define MAX_TABLES 8

/*
 * Ranks: a name with fewer leading underscores is more likely the one in the source code; labels and local aliases that
 * compilers make, as "name.localalias", are not. examples/native/symbols.c has the same order.
 */
#define RANK_WITHOUT_SIZE 128
#define RANK_GENERATED 64
#define RANK_UNDERSCORE 8
#define RANK_UNDERSCORES_MAX 4

/* A symbol table that is being read. */
typedef struct symbol_table {
	elf_image *image;
	elf_section section;
	size_t names_at;       /**< Where its names begin in elf_symbols::names, ... */
	size_t names_length;   /**< ... and how many bytes they have. */
	uint32_t last_section; /**< A section whose end was looked up, ... */
	uint64_t last_end;     /**< ... and that end. */
} symbol_table;

void elf_symbols_init(elf_symbols *symbols, const mprof_allocator *allocator)
{
	memset(symbols, 0, sizeof(*symbols));
	symbols->allocator = *allocator;
}

void elf_symbols_destroy(elf_symbols *symbols)
{
	allocator_release(&symbols->allocator, symbols->symbols, symbols->capacity * sizeof(*symbols->symbols));
	allocator_release(&symbols->allocator, symbols->names, symbols->names_length);
	symbols->symbols = NULL;
	symbols->names = NULL;
	symbols->count = 0;
	symbols->capacity = 0;
	symbols->names_length = 0;
}

/* Adds the names of a table, and a NUL in case the last one lacks it. Returns 0 if they cannot be read. */
static int add_names(elf_symbols *symbols, symbol_table *table)
{
	elf_image *image = table->image;
	elf_section section;
	char *names;

	if (!elf_image_section(image, table->section.link, &section) || section.type != SHT_STRTAB ||
	    !elf_image_has_content(image, &section) || section.size >= ELF_NAMES_MAX - symbols->names_length)
		return 0;
	table->names_at = symbols->names_length;
	table->names_length = (size_t)section.size;
	names = allocator_reallocate(&symbols->allocator, symbols->names, symbols->names_length,
				     symbols->names_length + table->names_length + 1);
	if (names == NULL)
		return 0;
	symbols->names = names;
	symbols->names_length += table->names_length + 1;
	names[symbols->names_length - 1] = '\0';
	if (elf_image_read(image, section.offset, names + table->names_at, table->names_length))
		return 1;
	/* The file became shorter meanwhile. */
	memset(names + table->names_at, 0, table->names_length);
	return 0;
}

/* The end of the section that contains a symbol; 0 if it has none. */
static uint64_t section_end(symbol_table *table, uint32_t index)
{
	elf_section section;

	if (index != table->last_section) {
		table->last_section = index;
		table->last_end = elf_image_section(table->image, index, &section) ? section.address + section.size : 0;
	}
	return table->last_end;
}

static uint32_t name_rank(const char *name, unsigned binding, int has_size)
{
	uint32_t underscores = 0;
	uint32_t rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;

	while (underscores < RANK_UNDERSCORES_MAX && name[underscores] == '_')
		underscores++;
	if (name[0] == '.' || name[0] == '$' || (binding == STB_LOCAL && strchr(name, '.') != NULL))
		rank += RANK_GENERATED;
	return rank + underscores * RANK_UNDERSCORE + (has_size ? 0 : RANK_WITHOUT_SIZE);
}

int elf_symbols_append(elf_symbols *symbols, const elf_symbol *symbol)
{
	void *memory = symbols->symbols;
	int has_room =
		symbols->count < ELF_SYMBOLS_MAX && array_reserve(&symbols->allocator, &memory, &symbols->capacity,
								  symbols->count + 1, sizeof(*symbols->symbols));

	symbols->symbols = memory;
	if (has_room)
		symbols->symbols[symbols->count++] = *symbol;
	return has_room;
}

/* Adds a symbol if it is a function with a name. Returns 0 if there is no room. */
static int add_symbol(elf_symbols *symbols, symbol_table *table, const Elf64_Sym *entry)
{
	unsigned type = ELF64_ST_TYPE(entry->st_info);
	elf_symbol symbol = {.start = entry->st_value, .has_size = entry->st_size != 0};

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || entry->st_shndx == SHN_UNDEF ||
	    entry->st_name >= table->names_length || symbols->names[table->names_at + entry->st_name] == '\0')
		return 1;
	/* There, the lowest bit specifies the processor's mode. */
	if (table->image->machine == EM_ARM)
		symbol.start &= ~UINT64_C(1);
	if (!symbol.has_size)
		symbol.end = section_end(table, entry->st_shndx);
	else if (__builtin_add_overflow(symbol.start, entry->st_size, &symbol.end))
		symbol.end = UINT64_MAX;
	symbol.name = (uint32_t)(table->names_at + entry->st_name);
	symbol.rank = name_rank(symbols->names + symbol.name, ELF64_ST_BIND(entry->st_info), entry->st_size != 0);
	return elf_symbols_append(symbols, &symbol);
}

/* Reads an entry of a table and converts it to the 64-bit form. */
static Elf64_Sym load_entry(const elf_image *image, const uint8_t *bytes)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (image->is_64) {
		memcpy(&wide, bytes, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	memset(&wide, 0, sizeof(wide));
	wide.st_name = narrow.st_name;
	wide.st_info = narrow.st_info;
	wide.st_shndx = narrow.st_shndx;
	wide.st_value = narrow.st_value;
	wide.st_size = narrow.st_size;
	return wide;
}

static void add_table(elf_symbols *symbols, symbol_table *table)
{
	uint8_t piece[TABLE_PIECE];
	size_t entry_size = table->image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t left = table->section.size / entry_size * entry_size;
	uint64_t offset = table->section.offset;

	if (table->section.entry_size != entry_size || !elf_image_has_content(table->image, &table->section) ||
	    !add_names(symbols, table))
		return;
	while (left > 0) {
		size_t length = left < TABLE_PIECE ? (size_t)left : TABLE_PIECE;

		if (!elf_image_read(table->image, offset, piece, length))
			return;
		for (size_t at = 0; at < length; at += entry_size) {
			Elf64_Sym entry = load_entry(table->image, piece + at);

			if (!add_symbol(symbols, table, &entry))
				return;
		}
		offset += length;
		left -= length;
	}
}

int elf_symbols_is_module(elf_image *image, const char *build_id)
{
	uint8_t notes[MAX_NOTES];
	char own[ELF_BUILD_ID_TEXT];
	elf_section section;

	for (uint32_t i = 0; build_id[0] != '\0' && i < image->section_count; i++) {
		if (elf_image_section(image, i, &section) && section.type == SHT_NOTE &&
		    section.size <= sizeof(notes) &&
		    elf_image_read(image, section.offset, notes, (size_t)section.size) &&
		    elf_build_id_find(notes, (size_t)section.size, section.alignment, own))
			return strcmp(own, build_id) == 0;
	}
	return 1;
}

/* Adds all tables. Returns 1 if one of them is a full symbol table. */
static int add_tables(elf_symbols *symbols, elf_image *image)
{
	int has_full = 0;
	int tables = 0;

	for (uint32_t i = 0; i < image->section_count && tables < MAX_TABLES; i++) {
		symbol_table table = {.image = image, .last_section = SHN_UNDEF};

		if (!elf_image_section(image, i, &table.section))
			break;
		if (table.section.type != SHT_SYMTAB && table.section.type != SHT_DYNSYM)
			continue;
		tables++;
		has_full |= table.section.type == SHT_SYMTAB;
		add_table(symbols, &table);
	}
	return has_full;
}

int elf_symbols_add_file(elf_symbols *symbols, const char *path, const char *build_id)
{
	elf_image image;
	int has_full = 0;

	if (!elf_image_open_file(&image, path))
		return 0;
	if (elf_symbols_is_module(&image, build_id))
		has_full = add_tables(symbols, &image);
	elf_image_close(&image);
	return has_full;
}

int elf_symbols_add_memory(elf_symbols *symbols, const void *bytes, size_t length)
{
	elf_image image;

	return elf_image_open_memory(&image, bytes, length) && add_tables(symbols, &image);
}

static int compare_symbols(const void *a, const void *b)
{
	const elf_symbol *first = a;
	const elf_symbol *second = b;

	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	if (first->rank != second->rank)
		return first->rank < second->rank ? -1 : 1;
	return (first->name > second->name) - (first->name < second->name);
}

void elf_symbols_sort(elf_symbols *symbols)
{
	elf_symbol *sorted = symbols->symbols;
	size_t kept = 0;

	if (symbols->count == 0)
		return;
	sort_in_place(sorted, symbols->count, sizeof(*sorted), compare_symbols);
	for (size_t i = 0; i < symbols->count; i++) {
		if (kept > 0 && sorted[kept - 1].start == sorted[i].start)
			continue;
		sorted[kept++] = sorted[i];
	}
	symbols->count = kept;
	for (size_t i = 1; i < kept; i++) {
		uint32_t before = (uint32_t)i;

		while (before != 0 && (!sorted[before - 1].has_size || sorted[before - 1].end <= sorted[i].start))
			before = sorted[before - 1].enclosing;
		sorted[i].enclosing = before;
	}
}

const elf_symbol *elf_symbols_find(const elf_symbols *symbols, uint64_t address)
{
	size_t low = 0;
	size_t high = symbols->count;
	const elf_symbol *closest;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	closest = &symbols->symbols[low - 1];
	/* Functions may be nested. One of unknown size counts only if no other contains the address. */
	for (uint32_t number = (uint32_t)low; number != 0; number = symbols->symbols[number - 1].enclosing) {
		const elf_symbol *symbol = &symbols->symbols[number - 1];

		if (symbol->has_size && address < symbol->end)
			return symbol;
	}
	return !closest->has_size && address < closest->end ? closest : NULL;
}
