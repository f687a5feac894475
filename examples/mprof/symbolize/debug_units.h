/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/debug_units.h
 * \brief Indexes of debug information: compilation units and functions by address. Only in the process with limits.
 *
 * libdw searches units in .debug_aranges, which not all compilers write, and functions by visiting the whole unit.
 */
#ifndef SYMBOLIZE_DEBUG_UNITS_H
#define SYMBOLIZE_DEBUG_UNITS_H

#include <elfutils/libdw.h>

#include <stddef.h>
#include <stdint.h>

/** A range of addresses, and the index of what it belongs to. */
typedef struct address_range {
	Dwarf_Addr start;
	Dwarf_Addr end; /**< After the last address. */
	size_t index;
} address_range;

/** Ranges sorted by start. */
typedef struct address_ranges {
	address_range *ranges;
	size_t count;
	size_t capacity;
} address_ranges;

/** A function of a unit that has addresses. */
typedef struct debug_function {
	Dwarf_Die die;
} debug_function;

typedef struct debug_unit {
	Dwarf_Die lines;           /**< The unit that has the line table. */
	Dwarf_Die code;            /**< The unit that has the functions: another one with split DWARF. */
	int is_read;               /**< The fields below are filled in. */
	debug_function *functions; /**< In the order of the unit. */
	size_t function_count;
	size_t function_capacity;
	address_ranges ranges; /**< Of functions. */
} debug_unit;

typedef struct debug_units {
	debug_unit *units; /**< In the order of the file. */
	size_t count;
	size_t capacity;
	address_ranges ranges; /**< Of units. */
} debug_units;

/** Finds the units of a file. Call debug_units_release() in all cases. Returns 0 if out of memory. */
int debug_units_read(debug_units *units, Dwarf *dwarf);
void debug_units_release(debug_units *units);

/** The unit of an address, or NULL. */
debug_unit *debug_units_find(debug_units *units, Dwarf_Addr address);

/** The function of an address, or NULL. The first call for a unit reads its functions. */
debug_function *debug_unit_function(debug_unit *unit, Dwarf_Addr address);

#endif
