/* SPDX-License-Identifier: MIT */
/* The getters for monitors, finalizers, metrics and markers. */
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_monitor_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->monitors.records.count : 0;
}

mprof_status mprof_profile_get_monitor(const mprof_profile *profile, size_t index, mprof_monitor_stats *figures)
{
	const monitor_record *record;
	mprof_monitor_stats own;

	if (figures == NULL || index >= mprof_profile_get_monitor_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = record_table_at(&profile->monitors.records, index);
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.contentions = record->contentions;
	own.acquired = record->acquired;
	own.failures = record->failures;
	own.contended_ns = profile_nanoseconds(profile, record->contended);
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_monitor_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->monitors.sites.count : 0;
}

mprof_status mprof_profile_get_monitor_site(const mprof_profile *profile, size_t index, mprof_monitor_site *site)
{
	const site_record *record;
	mprof_monitor_site own;

	if (site == NULL || index >= mprof_profile_get_monitor_site_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->monitors.sites.records[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->key.class_id;
	own.stack = record->key.stack;
	own.contentions = record->count;
	own.contended_ns = profile_nanoseconds(profile, record->value);
	own.failures = record->more;
	own.object = record->key.other;
	own.call = record->key.call;
	return struct_copy_out(site, &own, sizeof(own));
}

size_t mprof_profile_get_finalizer_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->finalizers.records.count : 0;
}

mprof_status mprof_profile_get_finalizer(const mprof_profile *profile, size_t index, mprof_finalizer_stats *figures)
{
	const finalizer_record *record;
	mprof_finalizer_stats own;

	if (figures == NULL || index >= mprof_profile_get_finalizer_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = record_table_at(&profile->finalizers.records, index);
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.count = record->count;
	own.total_ns = profile_nanoseconds(profile, record->time);
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_metric_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->metrics.records.count : 0;
}

mprof_status mprof_profile_get_metric(const mprof_profile *profile, size_t index, mprof_metric_stats *figures)
{
	const metric_record *record;
	mprof_metric_stats own;

	if (figures == NULL || index >= mprof_profile_get_metric_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = record_table_at(&profile->metrics.records, index);
	memset(&own, 0, sizeof(own));
	own.id = record->id;
	own.flags = record->flags;
	own.section = record->section != NULL ? record->section : "";
	own.name = record->name != NULL ? record->name : "";
	own.count = record->count;
	own.first = record->first;
	own.last = record->last;
	own.minimum = record->minimum;
	own.maximum = record->maximum;
	own.last_ns = record->count > 0 ? profile_session_time(profile, record->last_counter) : 0;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_mark_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->marks.count : 0;
}

mprof_status mprof_profile_get_mark(const mprof_profile *profile, size_t index, mprof_mark *mark)
{
	const mark_record *record;
	mprof_mark own;

	if (mark == NULL || index >= mprof_profile_get_mark_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->marks.records[index];
	memset(&own, 0, sizeof(own));
	own.time_ns = profile_session_time(profile, record->counter);
	own.thread = record->thread;
	own.text = record->text;
	return struct_copy_out(mark, &own, sizeof(own));
}
