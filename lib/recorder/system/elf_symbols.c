/* SPDX-License-Identifier: MIT */
/* Reads symbols, build IDs and bounds of functions from ELF files. */
#include "recorder/system/elf_symbols.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "io/high_descriptor.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A section as its header describes it. */
typedef struct elf_section {
	uint32_t type;
	uint32_t link;    /* Another section that it needs. */
	uint64_t address; /* In memory. */
	uint64_t offset;  /* Where its content begins. */
	uint64_t size;
	uint64_t entry_size;
	uint64_t alignment;
} elf_section;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OWN_BYTE_ORDER ELFDATA2MSB
#else
#define OWN_BYTE_ORDER ELFDATA2LSB
#endif

/* More sections than any linker creates, and few enough to examine all of them. */
#define MAX_SECTIONS 65536

static int read_file(int fd, uint64_t offset, uint8_t *into, size_t length)
{
	while (length > 0) {
		ssize_t got = pread(fd, into, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		into += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return 1;
}

/* Reads exactly length bytes. Returns 0 if the file does not have them. */
static int elf_image_read(const elf_image *image, uint64_t offset, void *into, size_t length)
{
	if (offset > image->length || length > image->length - offset)
		return 0;
	if (image->bytes == NULL)
		return read_file(image->fd, offset, into, length);
	memcpy(into, image->bytes + offset, length);
	return 1;
}

static size_t section_header_size(const elf_image *image)
{
	return image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Finds the header of a section among those that were read last, or reads it with those after it. */
static const uint8_t *section_header(elf_image *image, uint32_t index)
{
	size_t size = section_header_size(image);
	uint64_t offset;
	uint64_t remaining;

	if (index >= image->section_count || __builtin_mul_overflow((uint64_t)index, size, &offset) ||
	    __builtin_add_overflow(image->sections_at, offset, &offset) || offset >= image->length)
		return NULL;
	remaining = image->length - offset;
	if (remaining < size)
		return NULL;
	if (offset < image->headers_at || offset - image->headers_at + size > image->headers_length) {
		image->headers_at = offset;
		image->headers_length = remaining < ELF_HEADERS_PIECE ? (size_t)remaining : ELF_HEADERS_PIECE;
		if (!elf_image_read(image, offset, image->headers, image->headers_length)) {
			image->headers_length = 0;
			return NULL;
		}
	}
	return image->headers + (offset - image->headers_at);
}

/* Finds a section. Returns 0 if not found. Its content may be missing. */
static int elf_image_section(elf_image *image, uint32_t index, elf_section *section)
{
	const uint8_t *header = section_header(image, index);
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (header == NULL)
		return 0;
	if (image->is_64) {
		memcpy(&wide, header, sizeof(wide));
		*section = (elf_section){wide.sh_type, wide.sh_link,    wide.sh_addr,     wide.sh_offset,
					 wide.sh_size, wide.sh_entsize, wide.sh_addralign};
		return 1;
	}
	memcpy(&narrow, header, sizeof(narrow));
	*section = (elf_section){narrow.sh_type, narrow.sh_link,    narrow.sh_addr,     narrow.sh_offset,
				 narrow.sh_size, narrow.sh_entsize, narrow.sh_addralign};
	return 1;
}

/* Reads the file's header. Returns 0 if it is not a supported ELF file. */
static int read_header(elf_image *image)
{
	unsigned char identity[EI_NIDENT];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;
	elf_section first;
	uint32_t header_size;

	if (!elf_image_read(image, 0, identity, sizeof(identity)) || memcmp(identity, ELFMAG, SELFMAG) != 0 ||
	    identity[EI_DATA] != OWN_BYTE_ORDER ||
	    (identity[EI_CLASS] != ELFCLASS64 && identity[EI_CLASS] != ELFCLASS32))
		return 0;
	image->is_64 = identity[EI_CLASS] == ELFCLASS64;
	if (image->is_64 && elf_image_read(image, 0, &wide, sizeof(wide))) {
		image->machine = wide.e_machine;
		image->segments_at = wide.e_phoff;
		image->segment_count = wide.e_phentsize == sizeof(Elf64_Phdr) ? wide.e_phnum : 0;
		image->sections_at = wide.e_shoff;
		image->section_count = wide.e_shnum;
		header_size = wide.e_shentsize;
	} else if (!image->is_64 && elf_image_read(image, 0, &narrow, sizeof(narrow))) {
		image->machine = narrow.e_machine;
		image->segments_at = narrow.e_phoff;
		image->segment_count = narrow.e_phentsize == sizeof(Elf32_Phdr) ? narrow.e_phnum : 0;
		image->sections_at = narrow.e_shoff;
		image->section_count = narrow.e_shnum;
		header_size = narrow.e_shentsize;
	} else {
		return 0;
	}
	if (image->sections_at == 0 || header_size != section_header_size(image)) {
		image->section_count = 0;
	} else if (image->section_count == 0) {
		/* If the number is too large for the header, it is in the first section. */
		image->section_count = 1;
		if (!elf_image_section(image, 0, &first) || first.size > MAX_SECTIONS)
			first.size = 0;
		image->section_count = (uint32_t)first.size;
	}
	return 1;
}

int elf_image_open_file(elf_image *image, const char *path)
{
	struct stat about;

	memset(image, 0, sizeof(*image));
	/* O_NONBLOCK: if the path is that of a pipe by now, opening it must not wait. */
	image->fd = high_descriptor_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (image->fd < 0)
		return 0;
	if (fstat(image->fd, &about) == 0 && S_ISREG(about.st_mode)) {
		image->length = (uint64_t)about.st_size;
		if (read_header(image))
			return 1;
	}
	elf_image_close(image);
	return 0;
}

/* Opens a file in memory. Returns 0 if it is not an ELF file of the machine's byte order. */
static int elf_image_open_memory(elf_image *image, const void *bytes, size_t length)
{
	memset(image, 0, sizeof(*image));
	image->fd = -1;
	image->bytes = bytes;
	image->length = length;
	return read_header(image);
}

void elf_image_close(elf_image *image)
{
	if (image->fd >= 0)
		close(image->fd);
	image->fd = -1;
}

int elf_image_segment(const elf_image *image, uint32_t index, elf_segment *segment)
{
	const size_t size = image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t offset;
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	/* A file has at most 65535. */
	if (index >= image->segment_count ||
	    __builtin_add_overflow(image->segments_at, (uint64_t)index * size, &offset) ||
	    !elf_image_read(image, offset, image->is_64 ? (void *)&wide : (void *)&narrow, size))
		return 0;
	if (image->is_64)
		*segment = (elf_segment){wide.p_type, wide.p_vaddr, wide.p_offset, wide.p_filesz};
	else
		*segment = (elf_segment){narrow.p_type, narrow.p_vaddr, narrow.p_offset, narrow.p_filesz};
	return 1;
}

/* Whether the file contains all of a section. */
static int elf_image_has_content(const elf_image *image, const elf_section *section)
{
	return section->type != SHT_NOBITS && section->offset <= image->length &&
	       section->size <= image->length - section->offset;
}

/* Maximum number of functions of a module, and of bytes of their names. Functions beyond that have no name. */
#define MAX_SYMBOLS (UINT32_C(1) << 24)
#define MAX_NAMES (UINT32_C(1) << 28)

/* Bytes of a symbol table that are read at once, a multiple of both entry sizes. */
#define TABLE_PIECE 6144
#define MAX_NOTES 16384
/* Maximum number of symbol tables in a file; linkers create two. */
#define MAX_TABLES 8

/*
 * Ranks: a name with fewer leading underscores is more likely the one in the source code; labels and local aliases that
 * compilers make, as "name.localalias", are not.
 */
#define RANK_WITHOUT_SIZE 128
#define RANK_GENERATED 64
#define RANK_UNDERSCORE 8
#define MAX_RANKED_UNDERSCORES 4

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
	    !elf_image_has_content(image, &section) || section.size >= MAX_NAMES - symbols->names_length)
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

	while (underscores < MAX_RANKED_UNDERSCORES && name[underscores] == '_')
		underscores++;
	if (name[0] == '.' || name[0] == '$' || (binding == STB_LOCAL && strchr(name, '.') != NULL))
		rank += RANK_GENERATED;
	return rank + underscores * RANK_UNDERSCORE + (has_size ? 0 : RANK_WITHOUT_SIZE);
}

/* Adds a function. Returns 0 if there is no room. */
static int elf_symbols_append(elf_symbols *symbols, const elf_symbol *symbol)
{
	void *memory = symbols->symbols;
	int has_room = symbols->count < MAX_SYMBOLS && array_reserve(&symbols->allocator, &memory, &symbols->capacity,
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
	uint64_t remaining = table->section.size / entry_size * entry_size;
	uint64_t offset = table->section.offset;

	if (table->section.entry_size != entry_size || !elf_image_has_content(table->image, &table->section) ||
	    !add_names(symbols, table))
		return;
	while (remaining > 0) {
		size_t length = remaining < TABLE_PIECE ? (size_t)remaining : TABLE_PIECE;

		if (!elf_image_read(table->image, offset, piece, length))
			return;
		for (size_t at = 0; at < length; at += entry_size) {
			Elf64_Sym entry = load_entry(table->image, piece + at);

			if (!add_symbol(symbols, table, &entry))
				return;
		}
		offset += length;
		remaining -= length;
	}
}

/* Whether the file is that of a module with a build ID, as above. */
static int elf_symbols_is_module(elf_image *image, const char *build_id)
{
	uint8_t notes[MAX_NOTES];
	char found_id[ELF_BUILD_ID_TEXT];
	elf_section section;

	for (uint32_t i = 0; build_id[0] != '\0' && i < image->section_count; i++) {
		if (elf_image_section(image, i, &section) && section.type == SHT_NOTE &&
		    section.size <= sizeof(notes) &&
		    elf_image_read(image, section.offset, notes, (size_t)section.size) &&
		    elf_build_id_find(notes, (size_t)section.size, section.alignment, found_id))
			return strcmp(found_id, build_id) == 0;
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
	(void)sort_inline(sorted, symbols->count, sizeof(*sorted), compare_symbols, NULL);
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

#define INDEX_VERSION 1

/* Encodings of pointers: the size in the lower bits, what is added in the upper ones. */
#define ENCODING_WORD 0x00
#define ENCODING_UDATA4 0x03
#define ENCODING_UDATA8 0x04
#define ENCODING_SDATA4 0x0b
#define ENCODING_SDATA8 0x0c
#define ENCODING_SIZE 0x0f
#define ENCODING_FROM_HERE 0x10
#define ENCODING_BASE 0xf0

/* Bytes that are read at once. */
#define PIECE 4096

/*
 * Reads the bounds of functions in .eh_frame. The section is found by the program headers, which a file has also
 * without section headers, and read from its start: the index for binary search does not contain the ends of functions.
 * examples/shared/unwind_tables.c, which clients of the library have, reads the same tables where they are loaded, with
 * the rules that unwind a stack; tests/recorder/test_elf_bounds.c compares both.
 */

/* The table that is being read. Offsets are those in the file. */
typedef struct frame_table {
	elf_image *image;
	uint64_t start;
	uint64_t end;
	uint64_t address;  /**< Of the start, in memory. */
	uint64_t common;   /**< Offset of the common entry that was read last, 0 before the first, ... */
	unsigned encoding; /**< ... and its encoding of pointers. */
	uint64_t piece_at;
	size_t piece_length;
	uint8_t piece[PIECE];
} frame_table;

/* A position in the table. After a read past the end, all reads return 0. */
typedef struct table_cursor {
	frame_table *table;
	uint64_t at;
	uint64_t end;
	int has_failed;
} table_cursor;

static uint8_t read_byte(table_cursor *cursor)
{
	frame_table *table = cursor->table;

	if (cursor->has_failed || cursor->at >= cursor->end) {
		cursor->has_failed = 1;
		return 0;
	}
	if (cursor->at - table->piece_at >= table->piece_length) {
		const uint64_t remaining = table->end - cursor->at;

		table->piece_at = cursor->at;
		table->piece_length = remaining < PIECE ? (size_t)remaining : PIECE;
		if (!elf_image_read(table->image, cursor->at, table->piece, table->piece_length)) {
			table->piece_length = 0;
			cursor->has_failed = 1;
			return 0;
		}
	}
	return table->piece[cursor->at++ - table->piece_at];
}

/* A number in the byte order of this machine, which is that of the file. */
static uint64_t read_number(table_cursor *cursor, size_t size)
{
	uint8_t bytes[8] = {0};
	uint32_t narrow;
	uint64_t wide;

	for (size_t i = 0; i < size; i++)
		bytes[i] = read_byte(cursor);
	if (size == sizeof(narrow)) {
		memcpy(&narrow, bytes, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

static void skip_leb(table_cursor *cursor)
{
	while ((read_byte(cursor) & 0x80) != 0)
		continue;
}

/* The size of a pointer; 0 if the encoding is not one that linkers use here. */
static size_t pointer_size(const frame_table *table, unsigned encoding)
{
	switch (encoding & ENCODING_SIZE) {
	case ENCODING_WORD:
		return table->image->is_64 ? 8 : 4;
	case ENCODING_UDATA4:
	case ENCODING_SDATA4:
		return 4;
	case ENCODING_UDATA8:
	case ENCODING_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t read_pointer(table_cursor *cursor, unsigned encoding)
{
	const frame_table *table = cursor->table;
	const uint64_t here = table->address + (cursor->at - table->start);
	const size_t size = pointer_size(table, encoding);
	uint64_t number;

	if (size == 0 || ((encoding & ENCODING_BASE) != 0 && (encoding & ENCODING_BASE) != ENCODING_FROM_HERE)) {
		cursor->has_failed = 1;
		return 0;
	}
	number = read_number(cursor, size);
	if ((encoding & ENCODING_SIZE) == ENCODING_SDATA4)
		number = (uint64_t)(int64_t)(int32_t)(uint32_t)number;
	if ((encoding & ENCODING_BASE) == ENCODING_FROM_HERE)
		number += here;
	return table->image->is_64 ? number : (uint32_t)number;
}

/* Enters the entry at an offset: its length limits the cursor. Returns 0 at the end of the table. */
static int enter(frame_table *table, uint64_t offset, table_cursor *cursor)
{
	uint64_t length;

	*cursor = (table_cursor){table, offset, table->end, 0};
	length = read_number(cursor, 4);
	/* Lengths of 64 bits are not written by any linker. */
	if (cursor->has_failed || length == 0 || length > table->end - cursor->at)
		return 0;
	cursor->end = cursor->at + length;
	return 1;
}

/* Reads the encoding of pointers from a common entry. Returns 0 if it is not known. */
static int read_common(frame_table *table, uint64_t offset)
{
	char letters[8];
	table_cursor cursor;
	unsigned version;
	size_t count = 0;

	if (!enter(table, offset, &cursor) || read_number(&cursor, 4) != 0)
		return 0;
	version = read_byte(&cursor);
	while (count < sizeof(letters) && (letters[count] = (char)read_byte(&cursor)) != '\0')
		count++;
	if (cursor.has_failed || count == sizeof(letters) || (version != 1 && version != 3))
		return 0;
	skip_leb(&cursor);
	skip_leb(&cursor);
	/* The register with the return address. */
	skip_leb(&cursor);
	table->common = offset;
	table->encoding = ENCODING_WORD;
	if (count == 0)
		return !cursor.has_failed;
	if (letters[0] != 'z')
		return 0;
	skip_leb(&cursor);
	for (size_t i = 1; i < count; i++) {
		if (letters[i] == 'R')
			table->encoding = read_byte(&cursor);
		else if (letters[i] == 'L')
			(void)read_byte(&cursor);
		else if (letters[i] == 'P')
			(void)read_number(&cursor, pointer_size(table, read_byte(&cursor)));
		else if (letters[i] != 'S' && letters[i] != 'B')
			return 0;
	}
	return !cursor.has_failed;
}

/* Adds the function of an entry. Returns 0 if there is no room. */
static int add_function(elf_symbols *bounds, frame_table *table, table_cursor *cursor)
{
	/* The common entry is that far before this field. */
	const uint64_t here = cursor->at;
	const uint64_t distance = read_number(cursor, 4);
	elf_symbol function = {.has_size = 1};
	uint64_t length;

	if (distance == 0 || distance > here - table->start)
		return 1;
	if (table->common != here - distance && !read_common(table, here - distance)) {
		table->common = 0;
		return 1;
	}
	function.start = read_pointer(cursor, table->encoding);
	length = read_pointer(cursor, table->encoding & ENCODING_SIZE);
	if (cursor->has_failed || length == 0 || __builtin_add_overflow(function.start, length, &function.end))
		return 1;
	return elf_symbols_append(bounds, &function);
}

/* Finds the table by its index, which a program header describes. Returns 0 if there is none. */
static int find_table(frame_table *table)
{
	elf_image *image = table->image;
	elf_segment index = {0};
	elf_segment segment;
	uint8_t header[8];
	int32_t distance;

	for (uint32_t i = 0; index.type != PT_GNU_EH_FRAME; i++) {
		if (!elf_image_segment(image, i, &index))
			return 0;
	}
	if (!elf_image_read(image, index.offset, header, sizeof(header)) || header[0] != INDEX_VERSION ||
	    header[1] != (ENCODING_FROM_HERE | ENCODING_SDATA4))
		return 0;
	memcpy(&distance, header + 4, sizeof(distance));
	table->address = index.address + 4 + (uint64_t)(int64_t)distance;
	for (uint32_t i = 0; elf_image_segment(image, i, &segment); i++) {
		const uint64_t within = table->address - segment.address;

		if (segment.type != PT_LOAD || within >= segment.size || segment.size > image->length ||
		    segment.offset > image->length - segment.size)
			continue;
		table->start = segment.offset + within;
		table->end = segment.offset + segment.size;
		return 1;
	}
	return 0;
}

static void read_functions(elf_symbols *bounds, elf_image *image)
{
	frame_table table = {.image = image};
	table_cursor cursor;
	uint64_t offset;

	if (!find_table(&table))
		return;
	for (offset = table.start; enter(&table, offset, &cursor); offset = cursor.end) {
		if (!add_function(bounds, &table, &cursor))
			break;
	}
	elf_symbols_sort(bounds);
}

void elf_bounds_read(elf_symbols *bounds, const char *path, const char *build_id)
{
	elf_image image;

	if (!elf_image_open_file(&image, path))
		return;
	if (elf_symbols_is_module(&image, build_id))
		read_functions(bounds, &image);
	elf_image_close(&image);
}
