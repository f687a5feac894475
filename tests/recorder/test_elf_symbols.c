/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_elf_symbols.c
 * \brief Names of functions from generated ELF files, valid and damaged.
 */
#include "recorder/system/elf_symbols.h"

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/failing_allocator.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_AT = 0x1000, TEXT_SIZE = 0x1000, SECTIONS = 5, FILE_SIZE = 2048 };
enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_NAMES, SECTION_NOTES };

static const char names[] =
	"\0inner\0outer\0_public\0name.localalias\0.L1\0__alias\0alias\0weak_alias\0label\0last\0data\0_absent";
static const uint8_t notes[] = {4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0x09, 0};

/* A symbol of the generated file. */
typedef struct wanted {
	const char *name;
	uint64_t start;
	uint64_t size;
	unsigned char binding;
	unsigned char type;
	uint16_t section;
} wanted;

static const wanted all[] = {
	{"", 0, 0, STB_LOCAL, STT_NOTYPE, SHN_UNDEF},
	{"last", 0x1f00, 0x80, STB_GLOBAL, STT_FUNC, SECTION_TEXT},
	{"outer", 0x1000, 0x400, STB_GLOBAL, STT_FUNC, SECTION_TEXT},
	{"inner", 0x1100, 0x80, STB_LOCAL, STT_FUNC, SECTION_TEXT},
	{"__alias", 0x1500, 0x20, STB_GLOBAL, STT_FUNC, SECTION_TEXT},
	{"weak_alias", 0x1500, 0x20, STB_WEAK, STT_FUNC, SECTION_TEXT},
	{"alias", 0x1500, 0x20, STB_GLOBAL, STT_GNU_IFUNC, SECTION_TEXT},
	{".L1", 0x1580, 0x20, STB_LOCAL, STT_FUNC, SECTION_TEXT},
	{"name.localalias", 0x1580, 0x20, STB_LOCAL, STT_FUNC, SECTION_TEXT},
	{"_public", 0x1580, 0x20, STB_GLOBAL, STT_FUNC, SECTION_TEXT},
	{"label", 0x1600, 0, STB_GLOBAL, STT_FUNC, SECTION_TEXT},
	{"data", 0x1700, 0x100, STB_GLOBAL, STT_OBJECT, SECTION_TEXT},
	{"_absent", 0x1800, 0x100, STB_GLOBAL, STT_FUNC, SHN_UNDEF},
};

/* The addresses at which functions of the file begin. */
#define ADDRESSES 6

static uint32_t name_offset(const char *name)
{
	for (size_t i = 0; i < sizeof(names); i += strlen(names + i) + 1) {
		if (strcmp(names + i, name) == 0)
			return (uint32_t)i;
	}
	cr_assert_fail("%s", name);
	return 0;
}

static unsigned char own_byte_order(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
}

/* The offsets of the parts of the file. */
enum { SYMBOLS_AT = 128, NAMES_AT = 512, NOTES_AT = 640, HEADERS_AT = 1024 };

static void make_wide(uint8_t *file, uint32_t table)
{
	Elf64_Ehdr header = {.e_shoff = HEADERS_AT, .e_shnum = SECTIONS, .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr sections[SECTIONS] = {
		[SECTION_TEXT] = {.sh_type = SHT_PROGBITS, .sh_addr = TEXT_AT, .sh_size = TEXT_SIZE},
		[SECTION_SYMBOLS] = {.sh_type = table,
				     .sh_offset = SYMBOLS_AT,
				     .sh_link = SECTION_NAMES,
				     .sh_size = sizeof(all) / sizeof(all[0]) * sizeof(Elf64_Sym),
				     .sh_entsize = sizeof(Elf64_Sym)},
		[SECTION_NAMES] = {.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof(names)},
		[SECTION_NOTES] = {.sh_type = SHT_NOTE,
				   .sh_offset = NOTES_AT,
				   .sh_size = sizeof(notes),
				   .sh_addralign = 4},
	};

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = own_byte_order();
	memcpy(file, &header, sizeof(header));
	memcpy(file + HEADERS_AT, sections, sizeof(sections));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		Elf64_Sym symbol = {.st_name = name_offset(all[i].name),
				    .st_value = all[i].start,
				    .st_size = all[i].size,
				    .st_shndx = all[i].section,
				    .st_info = ELF64_ST_INFO(all[i].binding, all[i].type)};

		memcpy(file + SYMBOLS_AT + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
}

static void make_narrow(uint8_t *file, uint32_t table)
{
	Elf32_Ehdr header = {.e_shoff = HEADERS_AT, .e_shnum = SECTIONS, .e_shentsize = sizeof(Elf32_Shdr)};
	Elf32_Shdr sections[SECTIONS] = {
		[SECTION_TEXT] = {.sh_type = SHT_PROGBITS, .sh_addr = TEXT_AT, .sh_size = TEXT_SIZE},
		[SECTION_SYMBOLS] = {.sh_type = table,
				     .sh_offset = SYMBOLS_AT,
				     .sh_link = SECTION_NAMES,
				     .sh_size = sizeof(all) / sizeof(all[0]) * sizeof(Elf32_Sym),
				     .sh_entsize = sizeof(Elf32_Sym)},
		[SECTION_NAMES] = {.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof(names)},
		[SECTION_NOTES] = {.sh_type = SHT_NOTE,
				   .sh_offset = NOTES_AT,
				   .sh_size = sizeof(notes),
				   .sh_addralign = 4},
	};

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	header.e_ident[EI_DATA] = own_byte_order();
	memcpy(file, &header, sizeof(header));
	memcpy(file + HEADERS_AT, sections, sizeof(sections));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		Elf32_Sym symbol = {.st_name = name_offset(all[i].name),
				    .st_value = (uint32_t)all[i].start,
				    .st_size = (uint32_t)all[i].size,
				    .st_shndx = all[i].section,
				    .st_info = ELF32_ST_INFO(all[i].binding, all[i].type)};

		memcpy(file + SYMBOLS_AT + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
}

static void make_file(uint8_t file[FILE_SIZE], int is_wide, uint32_t table)
{
	memset(file, 0, FILE_SIZE);
	memcpy(file + NAMES_AT, names, sizeof(names));
	memcpy(file + NOTES_AT, notes, sizeof(notes));
	if (is_wide)
		make_wide(file, table);
	else
		make_narrow(file, table);
}

static void begin(elf_symbols *symbols)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	elf_symbols_init(symbols, &allocator);
}

static const char *name_at(const elf_symbols *symbols, uint64_t address)
{
	const elf_symbol *symbol = elf_symbols_find(symbols, address);

	return symbol != NULL ? elf_symbols_name(symbols, symbol) : "";
}

static void check_names(const elf_symbols *symbols)
{
	cr_assert_str_eq(name_at(symbols, 0), "");
	cr_assert_str_eq(name_at(symbols, 0xfff), "");
	cr_assert_str_eq(name_at(symbols, 0x1000), "outer");
	cr_assert_str_eq(name_at(symbols, 0x10ff), "outer");
	cr_assert_str_eq(name_at(symbols, 0x1100), "inner");
	cr_assert_str_eq(name_at(symbols, 0x117f), "inner");
	cr_assert_str_eq(name_at(symbols, 0x1180), "outer", "after a function that is inside another one");
	cr_assert_str_eq(name_at(symbols, 0x13ff), "outer");
	cr_assert_str_eq(name_at(symbols, 0x1400), "");
	cr_assert_str_eq(name_at(symbols, 0x1510), "alias", "of several names, the global one");
	cr_assert_str_eq(name_at(symbols, 0x1520), "");
	cr_assert_str_eq(name_at(symbols, 0x1590), "_public", "not one that the compiler made");
	cr_assert_str_eq(name_at(symbols, 0x1600), "label");
	cr_assert_str_eq(name_at(symbols, 0x1750), "label", "without a size it extends to the next function");
	cr_assert_str_eq(name_at(symbols, 0x1f10), "last");
	cr_assert_str_eq(name_at(symbols, 0x1f80), "");
	cr_assert_str_eq(name_at(symbols, UINT64_MAX), "");
	cr_assert_eq(symbols->count, ADDRESSES, "one for each address");
}

Test(elf_symbols, files_of_64_and_of_32_bits)
{
	uint8_t file[FILE_SIZE];
	elf_symbols symbols;

	for (int is_wide = 0; is_wide <= 1; is_wide++) {
		make_file(file, is_wide, SHT_SYMTAB);
		begin(&symbols);
		cr_assert_eq(elf_symbols_add_memory(&symbols, file, sizeof(file)), 1);
		elf_symbols_sort(&symbols);
		check_names(&symbols);
		elf_symbols_destroy(&symbols);

		make_file(file, is_wide, SHT_DYNSYM);
		begin(&symbols);
		cr_assert_eq(elf_symbols_add_memory(&symbols, file, sizeof(file)), 0, "not the full table");
		elf_symbols_sort(&symbols);
		check_names(&symbols);
		elf_symbols_destroy(&symbols);
	}
}

/* More sections than are read at once; the table of symbols refers back to the first ones. */
Test(elf_symbols, files_with_many_sections)
{
	enum { MANY = 200, TABLE = 190 };
	static uint8_t file[HEADERS_AT + MANY * sizeof(Elf64_Shdr)];
	uint8_t *headers = file + HEADERS_AT;
	Elf64_Ehdr header;
	elf_symbols symbols;

	make_file(file, 1, SHT_SYMTAB);
	memcpy(&header, file, sizeof(header));
	header.e_shnum = MANY;
	memcpy(file, &header, sizeof(header));
	memcpy(headers + TABLE * sizeof(Elf64_Shdr), headers + SECTION_SYMBOLS * sizeof(Elf64_Shdr),
	       sizeof(Elf64_Shdr));
	memset(headers + SECTION_SYMBOLS * sizeof(Elf64_Shdr), 0, sizeof(Elf64_Shdr));
	begin(&symbols);
	cr_assert_eq(elf_symbols_add_memory(&symbols, file, sizeof(file)), 1);
	elf_symbols_sort(&symbols);
	check_names(&symbols);
	elf_symbols_destroy(&symbols);
}

Test(elf_symbols, the_same_names_twice)
{
	uint8_t file[FILE_SIZE];
	elf_symbols symbols;

	make_file(file, 1, SHT_SYMTAB);
	begin(&symbols);
	elf_symbols_add_memory(&symbols, file, sizeof(file));
	elf_symbols_add_memory(&symbols, file, sizeof(file));
	elf_symbols_sort(&symbols);
	check_names(&symbols);
	elf_symbols_destroy(&symbols);
}

Test(elf_symbols, a_label_does_not_reach_out_of_its_section)
{
	uint8_t file[FILE_SIZE];
	elf_symbols symbols;
	Elf64_Sym symbol;

	make_file(file, 1, SHT_SYMTAB);
	/* The symbol "last" gets the size 0. */
	memcpy(&symbol, file + SYMBOLS_AT + sizeof(symbol), sizeof(symbol));
	symbol.st_size = 0;
	memcpy(file + SYMBOLS_AT + sizeof(symbol), &symbol, sizeof(symbol));
	begin(&symbols);
	elf_symbols_add_memory(&symbols, file, sizeof(file));
	elf_symbols_sort(&symbols);
	cr_assert_str_eq(name_at(&symbols, TEXT_AT + TEXT_SIZE - 1), "last");
	cr_assert_str_eq(name_at(&symbols, TEXT_AT + TEXT_SIZE), "");
	elf_symbols_destroy(&symbols);
}

Test(elf_symbols, files_of_the_other_byte_order_have_no_names)
{
	uint8_t file[FILE_SIZE];
	elf_symbols symbols;

	make_file(file, 1, SHT_SYMTAB);
	file[EI_DATA] = (uint8_t)(ELFDATA2LSB + ELFDATA2MSB - own_byte_order());
	begin(&symbols);
	cr_assert_eq(elf_symbols_add_memory(&symbols, file, sizeof(file)), 0);
	cr_assert_eq(symbols.count, 0);
	elf_symbols_destroy(&symbols);
}

static void write_file(char *path, const uint8_t *bytes, size_t length)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

static size_t count_from_file(const char *path, const char *build_id)
{
	elf_symbols symbols;
	size_t count;

	begin(&symbols);
	elf_symbols_add_file(&symbols, path, build_id);
	elf_symbols_sort(&symbols);
	count = symbols.count;
	elf_symbols_destroy(&symbols);
	return count;
}

Test(elf_symbols, the_file_must_be_that_of_the_module)
{
	char path[] = "elf-symbols-XXXXXX";
	uint8_t file[FILE_SIZE];

	make_file(file, 1, SHT_SYMTAB);
	write_file(path, file, sizeof(file));
	cr_assert_eq(count_from_file(path, "abcd09"), ADDRESSES);
	cr_assert_eq(count_from_file(path, ""), ADDRESSES);
	cr_assert_eq(count_from_file(path, "abcd0a"), 0);
	cr_assert_eq(count_from_file(path, "abcd"), 0);
	unlink(path);
	cr_assert_eq(count_from_file(path, ""), 0);
}

Test(elf_symbols, what_is_no_file_is_not_waited_for, .timeout = 30)
{
	char path[] = "elf-pipe-XXXXXX";

	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(count_from_file(path, ""), 0, "a directory");
	rmdir(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(count_from_file(path, ""), 0, "a pipe");
	unlink(path);
}

/* Looking up names must work with any content. */
static void read_damaged(const uint8_t *file, size_t length)
{
	elf_symbols symbols;
	/* A copy of exactly its length, so that sanitizers detect reads past its end. */
	uint8_t *copy = malloc(length > 0 ? length : 1);

	cr_assert_not_null(copy);
	memcpy(copy, file, length);
	begin(&symbols);
	elf_symbols_add_memory(&symbols, copy, length);
	elf_symbols_sort(&symbols);
	free(copy);
	for (uint64_t address = 0; address < 0x2100; address += 0x40) {
		const elf_symbol *symbol = elf_symbols_find(&symbols, address);

		cr_assert(symbol == NULL || strlen(elf_symbols_name(&symbols, symbol)) < sizeof(names));
	}
	elf_symbols_destroy(&symbols);
}

Test(elf_symbols, cut_files, .timeout = 120)
{
	uint8_t file[FILE_SIZE];

	for (int is_wide = 0; is_wide <= 1; is_wide++) {
		make_file(file, is_wide, SHT_SYMTAB);
		for (size_t length = 0; length < sizeof(file); length++)
			read_damaged(file, length);
	}
}

Test(elf_symbols, damaged_files, .timeout = 120)
{
	static const uint8_t harm[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	uint8_t file[FILE_SIZE];

	for (int is_wide = 0; is_wide <= 1; is_wide++) {
		make_file(file, is_wide, SHT_SYMTAB);
		for (size_t at = 0; at < sizeof(file); at++) {
			uint8_t right = file[at];

			for (size_t i = 0; i < sizeof(harm); i++) {
				file[at] = harm[i];
				read_damaged(file, sizeof(file));
			}
			file[at] = right;
		}
	}
}

Test(elf_symbols, fields_that_are_too_large, .timeout = 120)
{
	static const uint64_t harm[] = {UINT64_MAX, INT64_MAX, UINT32_MAX, UINT64_C(1) << 63, FILE_SIZE, FILE_SIZE - 1};
	uint8_t file[FILE_SIZE];
	uint8_t right[8];

	make_file(file, 1, SHT_SYMTAB);
	for (size_t at = 0; at + sizeof(right) <= sizeof(file); at += 4) {
		memcpy(right, file + at, sizeof(right));
		for (size_t i = 0; i < sizeof(harm) / sizeof(harm[0]); i++) {
			memcpy(file + at, &harm[i], sizeof(right));
			read_damaged(file, sizeof(file));
		}
		memcpy(file + at, right, sizeof(right));
	}
}

Test(elf_symbols, without_memory)
{
	uint8_t file[FILE_SIZE];
	elf_symbols symbols;

	make_file(file, 1, SHT_SYMTAB);
	for (size_t fail_at = 1; fail_at < 20; fail_at++) {
		failing_allocator failing = {.fail_at = fail_at};
		mprof_allocator allocator = failing_allocator_interface(&failing);

		elf_symbols_init(&symbols, &allocator);
		elf_symbols_add_memory(&symbols, file, sizeof(file));
		elf_symbols_sort(&symbols);
		cr_assert_eq(symbols.count == ADDRESSES, failing.refused == 0);
		elf_symbols_destroy(&symbols);
		cr_assert_eq(failing.blocks, 0);
	}
}

Test(elf_symbols, build_ids)
{
	char text[ELF_BUILD_ID_TEXT] = "unchanged";
	uint8_t longer[16 + 36] = {4, 0, 0, 0, 33, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	/* Another note before it, whose name and content are padded. */
	uint8_t with_prefix[20 + sizeof(notes)] = {3, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'A', 'B', 0, 0, 7, 0, 0, 0};

	for (size_t length = 0; length < sizeof(notes) - 1; length++)
		cr_assert_eq(elf_build_id_find(notes, length, 4, text), 0);
	cr_assert_eq(elf_build_id_find(longer, sizeof(longer), 4, text), 0, "too long");
	cr_assert_str_eq(text, "unchanged");
	cr_assert_eq(elf_build_id_find(notes, sizeof(notes), 4, text), 1);
	cr_assert_str_eq(text, "abcd09");
	longer[4] = 32;
	cr_assert_eq(elf_build_id_find(longer, sizeof(longer), 4, text), 1);
	cr_assert_eq(strlen(text), 64);
	memcpy(with_prefix + 20, notes, sizeof(notes));
	cr_assert_eq(elf_build_id_find(with_prefix, sizeof(with_prefix), 4, text), 1);
	cr_assert_str_eq(text, "abcd09");
	for (uint32_t alignment = 0; alignment < 17; alignment++)
		elf_build_id_find(with_prefix, sizeof(with_prefix), alignment, text);
}
