/* SPDX-License-Identifier: MIT */
/* What stands out in a profile. */
#include "base/allocator.h"
#include "base/caller_structs.h"
#include "model/results/finding_rules.h"

/* How many findings a caller gets if it does not ask for a number. */
enum { DEFAULT_COUNT = 7 };

void mprof_finding_list_options_init(mprof_finding_list_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_finding_list_create(const mprof_profile *profile, const mprof_reader *reader,
				       const mprof_finding_list_options *options, mprof_finding_list **list)
{
	finding_source source = {.profile = profile, .reader = reader};
	mprof_status status;

	if (list == NULL)
		return MPROF_ERR_ARGUMENT;
	*list = NULL;
	if (profile == NULL || reader == NULL ||
	    struct_copy_in(&source.options, options, sizeof(source.options)) != MPROF_OK ||
	    source.options.reserved != 0 || !allocator_init(&source.allocator, source.options.allocator))
		return MPROF_ERR_ARGUMENT;
	source.totals.struct_size = sizeof(source.totals);
	status = mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &source.totals);
	if (status != MPROF_OK)
		return status;
	source.list = allocator_allocate_zeroed(&source.allocator, sizeof(*source.list));
	if (source.list == NULL)
		return MPROF_ERR_MEMORY;
	source.list->allocator = source.allocator;
	status = finding_rules_apply(&source);
	if (status != MPROF_OK) {
		mprof_finding_list_destroy(source.list);
		return status;
	}
	finding_list_keep(source.list, source.options.max_count != 0 ? source.options.max_count : DEFAULT_COUNT);
	*list = source.list;
	return MPROF_OK;
}

void mprof_finding_list_destroy(mprof_finding_list *list)
{
	mprof_allocator allocator;

	if (list == NULL)
		return;
	allocator = list->allocator;
	allocator_release(&allocator, list, sizeof(*list));
}

size_t mprof_finding_list_get_count(const mprof_finding_list *list)
{
	return list != NULL ? list->count : 0;
}

mprof_status mprof_finding_list_get(const mprof_finding_list *list, size_t index, mprof_finding *found)
{
	mprof_finding copy = {.struct_size = sizeof(copy)};

	if (list == NULL || found == NULL || index >= list->count ||
	    found->struct_size < SIZE_UP_TO(mprof_finding, severity))
		return MPROF_ERR_ARGUMENT;
	copy.kind = list->items[index].kind;
	copy.text = list->items[index].text;
	copy.command = list->items[index].command;
	copy.section = list->items[index].section;
	copy.severity = list->items[index].severity;
	return struct_copy_out(found, &copy, sizeof(copy));
}
