/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logs of real programs have no more. */
#define MAX_IDS 1000000

named *names_get(name_table *names, uint32_t id)
{
	if (id > MAX_IDS) {
		fprintf(stderr, "oracle: ID %u\n", id);
		exit(2);
	}
	if (id >= names->count) {
		names->entries = room_for(names->entries, (size_t)id + 1, &names->capacity, sizeof(*names->entries));
		names->count = (size_t)id + 1;
	}
	names->entries[id].id = id;
	return &names->entries[id];
}

void names_define(name_table *names, uint32_t id, uint32_t class_id, const char *name)
{
	named *entry = names_get(names, id);

	names->defined += entry->name == NULL;
	free(entry->name);
	entry->name = strdup(name);
	entry->class_id = class_id;
}

void names_finish(name_table *names)
{
	size_t capacity = 0;
	size_t count = 0;

	names->sorted = room_for(NULL, names->defined + 1, &capacity, sizeof(*names->sorted));
	for (size_t i = 0; i < names->count; i++) {
		if (names->entries[i].name != NULL)
			names->sorted[count++] = &names->entries[i];
	}
}

void names_release(name_table *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->entries[i].name);
	free(names->entries);
	free(names->sorted);
}

void print_text(const oracle *all, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned byte = (unsigned char)*text;

		/* Each byte is a character, which is written as UTF-8. */
		if (byte >= 0x80 && has_fault(all, FAULT_BYTES_OF_NAMES)) {
			putchar((int)(0xc0 | byte >> 6));
			putchar((int)(0x80 | (byte & 0x3f)));
		} else {
			putchar((int)byte);
		}
	}
}

static void print_name(const oracle *all, const named *entry)
{
	if (entry->name != NULL)
		print_text(all, entry->name);
	else
		printf("#%u", entry->id);
}

void print_class(oracle *all, uint32_t id)
{
	if (id == 0)
		fputs("(CLASS UNAVAILABLE)", stdout);
	else
		print_name(all, names_get(&all->classes, id));
}

void print_method_alone(oracle *all, uint32_t id)
{
	if (id == 0)
		fputs("(METHOD UNAVAILABLE)", stdout);
	else
		print_name(all, names_get(&all->methods, id));
}

void print_method(oracle *all, uint32_t id)
{
	print_class(all, id == 0 ? 0 : names_get(&all->methods, id)->class_id);
	putchar('.');
	print_method_alone(all, id);
}
