/* SPDX-License-Identifier: MIT */
/* Finds the functions that an address belongs to, with their source lines. */
#include "symbolize/debug_frames.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* Blocks nested deeper than this inside of a function are not searched. */
#define MAX_BLOCKS 256

/* Directories of a path that ".." can remove. */
#define MAX_PARTS 64

/*
 * Removes "directory/.." and "." from a path, so that a header has one name whichever file includes it. Symbolic links
 * to directories are rare enough in builds to be ignored.
 */
static void normalize_path(char *path)
{
	char *parts[MAX_PARTS];
	const int is_relative = path[0] != '/';
	char *out = path;
	size_t count = 0;

	for (char *in = path; *in != '\0';) {
		const size_t separator = in[0] == '/';
		const size_t length = separator + strcspn(in + separator, "/");
		const char *part = in + separator;
		const size_t part_length = length - separator;

		if (part_length == 2 && strncmp(part, "..", 2) == 0 && count > 0) {
			out = parts[--count];
		} else if (part_length > 0 && !(part_length == 1 && part[0] == '.')) {
			if (count == MAX_PARTS || (part_length == 2 && strncmp(part, "..", 2) == 0))
				count = 0;
			else
				parts[count++] = out;
			memmove(out, in, length);
			out += length;
		}
		in += length;
	}
	*out = '\0';
	/* Its first directory was removed. */
	if (is_relative && path[0] == '/')
		memmove(path, path + 1, (size_t)(out - path));
}

/* Copies a path; a relative one is relative to the directory of the compilation. */
static void copy_path(char text[LINES_MAX_TEXT + 1], Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attribute;
	const char *directory = NULL;

	if (path == NULL)
		return;
	if (path[0] != '/')
		directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (directory != NULL)
		snprintf(text, LINES_MAX_TEXT + 1, "%s/%s", directory, path);
	else
		snprintf(text, LINES_MAX_TEXT + 1, "%s", path);
	normalize_path(text);
}

static uint32_t positive_line(int line)
{
	return line > 0 ? (uint32_t)line : 0;
}

static void copy_name(char text[LINES_MAX_TEXT + 1], Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	const char *name = dwarf_diename(die);

	if (linkage == NULL)
		linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	if (linkage != NULL && (strlen(linkage) <= LINES_MAX_TEXT || name == NULL))
		snprintf(text, LINES_MAX_TEXT + 1, "%s", linkage);
	else if (name != NULL)
		snprintf(text, LINES_MAX_TEXT + 1, "%s", name);
}

static void clear_frame(debug_frame *frame)
{
	frame->line = 0;
	frame->defined_line = 0;
	frame->is_inlined = 0;
	frame->name[0] = '\0';
	frame->file[0] = '\0';
	frame->defined_file[0] = '\0';
}

/* A file by its number in a unit. Since version 5, files are counted from 0; before, 0 stands for none. */
static const char *file_of(Dwarf_CU *unit, Dwarf_Word number)
{
	Dwarf_Half version = 0;
	Dwarf_Files *files;
	Dwarf_Die entry;
	size_t count;

	if (dwarf_cu_die(unit, &entry, &version, NULL, NULL, NULL, NULL, NULL) == NULL ||
	    (number == 0 && version < 5) || dwarf_getsrcfiles(&entry, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, (size_t)number, NULL, NULL);
}

/* A file that an attribute of the entry, or of its origin, names. Not dwarf_decl_file(): it takes 0 for none always. */
static const char *named_file(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr_integrate(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &number) != 0)
		return NULL;
	return file_of(attribute.cu, number);
}

/* Fills in what a function is; not the position in it. */
static void describe_function(debug_frame *frame, debug_unit *unit, Dwarf_Die *die)
{
	int line;

	frame->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	copy_name(frame->name, die);
	copy_path(frame->defined_file, &unit->code, named_file(die, DW_AT_decl_file));
	if (dwarf_decl_line(die, &line) == 0)
		frame->defined_line = positive_line(line);
}

/* The place that an inlined function was called from, which is the position in the frame outside of it. */
static void describe_call(debug_frame *frame, debug_unit *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0 && number <= UINT32_MAX)
		frame->line = (uint32_t)number;
	copy_path(frame->file, &unit->code, named_file(inlined, DW_AT_call_file));
}

static void describe_position(debug_frame *frame, debug_unit *unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
	int number;

	if (line == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	frame->line = positive_line(number);
	copy_path(frame->file, &unit->lines, dwarf_linesrc(line, NULL, NULL));
}

/* Finds the child that contains an address and may be, or contain, an inlined function. */
static int find_block(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *found)
{
	int is_done = dwarf_child(parent, found) != 0;

	while (!is_done) {
		int tag = dwarf_tag(found);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block) &&
		    dwarf_haspc(found, address) > 0)
			return 1;
		is_done = dwarf_siblingof(found, found) != 0;
	}
	return 0;
}

/* Stores a function and the functions inlined at an address, outermost first. Returns their number. */
static size_t find_inlined(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die found[LINES_MAX_FRAMES])
{
	Dwarf_Die block = *function;
	size_t count = 0;

	found[count++] = block;
	for (int depth = 0; depth < MAX_BLOCKS && count < LINES_MAX_FRAMES; depth++) {
		Dwarf_Die parent = block;

		if (!find_block(&parent, address, &block))
			break;
		if (dwarf_tag(&block) == DW_TAG_inlined_subroutine)
			found[count++] = block;
	}
	return count;
}

size_t debug_frames_find(debug_units *units, Dwarf_Addr address, debug_frame frames[LINES_MAX_FRAMES])
{
	debug_unit *unit = debug_units_find(units, address);
	debug_function *function = unit != NULL ? debug_unit_function(unit, address) : NULL;
	Dwarf_Die found[LINES_MAX_FRAMES];
	size_t count = 1;

	if (unit == NULL)
		return 0;
	clear_frame(&frames[0]);
	if (function != NULL)
		count = find_inlined(&function->die, address, found);
	describe_position(&frames[0], unit, address);
	for (size_t i = 0; function != NULL && i < count; i++) {
		if (i > 0) {
			clear_frame(&frames[i]);
			describe_call(&frames[i], unit, &found[count - i]);
		}
		describe_function(&frames[i], unit, &found[count - 1 - i]);
	}
	return count;
}

size_t debug_frames_name(debug_frame *frame, const char *name)
{
	if (name == NULL)
		return 0;
	clear_frame(frame);
	snprintf(frame->name, sizeof(frame->name), "%s", name);
	return 1;
}
