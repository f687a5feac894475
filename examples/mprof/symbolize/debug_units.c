/* SPDX-License-Identifier: MIT */
/* Indexes compilation units and their functions by address. */
#include "symbolize/debug_units.h"

#include "common/elements.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Namespaces and types nested deeper than this are left out. */
#define MAX_NESTED 64

/* Ranges may overlap, which they do not in correct files: this number of ranges before an address is examined. */
#define MAX_OVERLAPS 8

static int add_range(address_ranges *ranges, address_range range)
{
	void *elements = ranges->ranges;

	if (range.start >= range.end)
		return 1;
	if (!elements_reserve(&elements, &ranges->capacity, ranges->count, sizeof(*ranges->ranges)))
		return 0;
	ranges->ranges = elements;
	ranges->ranges[ranges->count++] = range;
	return 1;
}

/* Adds the ranges of a unit or a function. */
static int add_ranges_of(address_ranges *ranges, Dwarf_Die *die, size_t index)
{
	ptrdiff_t position = 0;
	Dwarf_Addr base;
	address_range range = {.index = index};

	while ((position = dwarf_ranges(die, position, &base, &range.start, &range.end)) > 0) {
		if (!add_range(ranges, range))
			return 0;
	}
	return 1;
}

static int compare_ranges(const void *left, const void *right)
{
	const address_range *a = left;
	const address_range *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void sort_ranges(address_ranges *ranges)
{
	if (ranges->count > 0)
		qsort(ranges->ranges, ranges->count, sizeof(*ranges->ranges), compare_ranges);
}

static const address_range *find_range(const address_ranges *ranges, Dwarf_Addr address)
{
	size_t low = 0;
	size_t high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < MAX_OVERLAPS && low > i; i++) {
		if (address < ranges->ranges[low - i - 1].end)
			return &ranges->ranges[low - i - 1];
	}
	return NULL;
}

static int add_unit(debug_units *units, Dwarf_Die *unit, Dwarf_Die *split)
{
	void *elements = units->units;
	debug_unit *added;

	if (!elements_reserve(&elements, &units->capacity, units->count, sizeof(*units->units)))
		return 0;
	units->units = elements;
	added = &units->units[units->count];
	memset(added, 0, sizeof(*added));
	added->lines = *unit;
	added->code = dwarf_tag(split) != DW_TAG_invalid ? *split : *unit;
	return add_ranges_of(&units->ranges, unit, units->count++);
}

int debug_units_read(debug_units *units, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;
	Dwarf_Die split;

	memset(units, 0, sizeof(*units));
	while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (!add_unit(units, &die, &split))
			return 0;
	}
	sort_ranges(&units->ranges);
	return 1;
}

void debug_units_release(debug_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free(units->units[i].functions);
		free(units->units[i].ranges.ranges);
	}
	free(units->units);
	free(units->ranges.ranges);
	memset(units, 0, sizeof(*units));
}

debug_unit *debug_units_find(debug_units *units, Dwarf_Addr address)
{
	const address_range *range = find_range(&units->ranges, address);

	return range != NULL ? &units->units[range->index] : NULL;
}

static int add_function(debug_unit *unit, Dwarf_Die *die)
{
	void *elements = unit->functions;
	size_t ranges = unit->ranges.count;

	if (!elements_reserve(&elements, &unit->function_capacity, unit->function_count, sizeof(*unit->functions)))
		return 0;
	unit->functions = elements;
	if (!add_ranges_of(&unit->ranges, die, unit->function_count)) {
		unit->ranges.count = ranges;
		return 0;
	}
	/* A declaration, or a function that was inlined everywhere. */
	if (ranges == unit->ranges.count)
		return 1;
	unit->functions[unit->function_count++] = (debug_function){.die = *die};
	return 1;
}

static int is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_module;
}

/* Adds the functions below an entry. What cannot be read, or has no memory, is left out. */
static void add_functions(debug_unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;
	int is_done = dwarf_child(parent, &child) != 0;

	while (!is_done) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			(void)add_function(unit, &child);
		else if (is_scope(tag) && depth < MAX_NESTED)
			add_functions(unit, &child, depth + 1);
		is_done = dwarf_siblingof(&child, &child) != 0;
	}
}

static void read_functions(debug_unit *unit)
{
	if (unit->is_read)
		return;
	unit->is_read = 1;
	add_functions(unit, &unit->code, 0);
	sort_ranges(&unit->ranges);
}

debug_function *debug_unit_function(debug_unit *unit, Dwarf_Addr address)
{
	const address_range *range;

	read_functions(unit);
	range = find_range(&unit->ranges, address);
	return range != NULL ? &unit->functions[range->index] : NULL;
}
