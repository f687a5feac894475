/* SPDX-License-Identifier: MIT */
/* Copies the values of metrics of a METRICS block. */
#include "module.h"

#include <string.h>

#define RECORDS 256

static double value_of(const mprof_metric_value_record *record)
{
	double value;

	if (!record->is_double)
		return (double)(int64_t)record->value;
	memcpy(&value, &record->value, sizeof(value));
	return value;
}

/*
 * Fetches values of the loaded METRICS block, at most as many as a call of the library returns records. count receives
 * their number, which may be 0 although more follow. A counter is 0 if the value is of the time of the block. Buckets
 * of histograms are left out.
 */
mprof_status WASM_EXPORT(mprof_js_next_metric_values)(log_view *view, uint32_t *ids, double *values, uint64_t *counters,
						      uint32_t capacity, uint32_t *count)
{
	static mprof_record records[RECORDS];
	size_t fetched = 0;
	mprof_status status = mprof_reader_next_records(view->reader, records, sizeof(*records),
							capacity < RECORDS ? capacity : RECORDS, &fetched);

	*count = 0;
	for (size_t i = 0; i < fetched; i++) {
		if (records[i].kind != MPROF_RECORD_METRIC_VALUE || records[i].as.metric_value.count != 0)
			continue;
		counters[*count] = records[i].as.metric_value.counter;
		ids[*count] = records[i].id;
		values[(*count)++] = value_of(&records[i].as.metric_value);
	}
	return status;
}
