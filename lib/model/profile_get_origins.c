/* SPDX-License-Identifier: MIT */
/* The getters for the origins of objects of the managed heap. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

mprof_status mprof_profile_lookup_origin(const mprof_profile *profile, uint64_t address, mprof_object_origin *origin)
{
	const live_object *object;
	mprof_object_origin made = {0};

	if (profile == NULL || origin == NULL)
		return MPROF_ERR_ARGUMENT;
	object = live_objects_find(&profile->ages.state.objects, address);
	if (object == NULL)
		return MPROF_ERR_ARGUMENT;
	made.identity = object->identity;
	made.bytes = object->size;
	made.site = object->site < profile->ages.state.site_count ? object->site : MPROF_ORIGIN_NO_SITE;
	made.age = profile->ages.state.sums.epoch - object->epoch;
	return struct_copy_out(origin, &made, sizeof(made));
}

int mprof_profile_has_snapshot(const mprof_profile *profile)
{
	return profile != NULL && profile->ages.has_ended;
}

size_t mprof_profile_get_traced_address_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->ages.trace.count : 0;
}

static void store_address(const mprof_profile *profile, size_t index, void *row)
{
	mprof_traced_address *made = row;
	const traced_address *address = &profile->ages.trace.addresses[index];

	made->address = address->address;
	made->time_ns = profile_clock_time(&profile->clock, address->counter);
	made->age = address->age;
}

static const profile_table address_rows =
	PROFILE_TABLE(mprof_traced_address, mprof_profile_get_traced_address_count, store_address);

mprof_status mprof_profile_get_traced_address(const mprof_profile *profile, size_t index, mprof_traced_address *address)
{
	return profile_table_get(&address_rows, profile, index, address);
}
