/* SPDX-License-Identifier: MIT */
/* The getters that return several entries in one call, for front ends that show all of them. */
#include "model/profile_internal.h"

#include <string.h>

/* Gets one element, whose struct_size is set. */
typedef mprof_status (*get_one)(const mprof_profile *profile, size_t index, void *element);

/* Fills an array with the elements from \p first on, of \p total. */
static mprof_status get_many(const mprof_profile *profile, size_t total, get_one get, size_t first, void *elements,
			     size_t element_size, size_t capacity, size_t *count)
{
	unsigned char *element = elements;
	size_t available;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (profile == NULL || (elements == NULL && capacity > 0) || element_size < sizeof(element_size) ||
	    first > total)
		return MPROF_ERR_ARGUMENT;
	available = total - first < capacity ? total - first : capacity;
	for (size_t i = 0; i < available; i++, element += element_size) {
		memcpy(element, &element_size, sizeof(element_size));
		get(profile, first + i, element);
	}
	*count = available;
	return MPROF_OK;
}

static mprof_status get_method(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_method(profile, index, element);
}

mprof_status mprof_profile_get_methods(const mprof_profile *profile, size_t first, mprof_method_stats *methods,
				       size_t method_size, size_t capacity, size_t *count)
{
	return get_many(profile, mprof_profile_get_method_count(profile), get_method, first, methods, method_size,
			capacity, count);
}

static mprof_status get_class(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_class(profile, index, element);
}

mprof_status mprof_profile_get_classes(const mprof_profile *profile, size_t first, mprof_class_stats *classes,
				       size_t class_size, size_t capacity, size_t *count)
{
	return get_many(profile, mprof_profile_get_class_count(profile), get_class, first, classes, class_size,
			capacity, count);
}

static mprof_status get_call(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_call(profile, (uint32_t)index, element);
}

mprof_status mprof_profile_get_calls(const mprof_profile *profile, size_t first, mprof_call_stats *nodes,
				     size_t node_size, size_t capacity, size_t *count)
{
	return get_many(profile, mprof_profile_get_call_count(profile), get_call, first, nodes, node_size, capacity,
			count);
}

static mprof_status get_sample(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_sample(profile, index, element);
}

mprof_status mprof_profile_get_samples(const mprof_profile *profile, size_t first, mprof_sample_stats *samples,
				       size_t sample_size, size_t capacity, size_t *count)
{
	return get_many(profile, mprof_profile_get_sample_count(profile), get_sample, first, samples, sample_size,
			capacity, count);
}

static mprof_status get_sample_node(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_sample_node(profile, (uint32_t)index, element);
}

mprof_status mprof_profile_get_sample_nodes(const mprof_profile *profile, size_t first, mprof_sample_node *nodes,
					    size_t node_size, size_t capacity, size_t *count)
{
	return get_many(profile, mprof_profile_get_sample_node_count(profile), get_sample_node, first, nodes, node_size,
			capacity, count);
}

static mprof_status get_allocation_site(const mprof_profile *profile, size_t index, void *element)
{
	return mprof_profile_get_allocation_site(profile, index, element);
}

mprof_status mprof_profile_get_allocation_sites(const mprof_profile *profile, size_t first,
						mprof_allocation_site *sites, size_t site_size, size_t capacity,
						size_t *count)
{
	return get_many(profile, mprof_profile_get_allocation_site_count(profile), get_allocation_site, first, sites,
			site_size, capacity, count);
}
