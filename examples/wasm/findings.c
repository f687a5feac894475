/* SPDX-License-Identifier: MIT */
/* Finds what stands out in a profile, and has it as a table. */
#include "rows.h"

static void write_name(void *user, uint32_t kind, uint32_t id, char *text, size_t size)
{
	wasm_name(user, kind, id, text, size);
}

/* Replaces the findings of a view. log: its name in commands. */
mprof_status WASM_EXPORT(mprof_js_findings_create)(log_view *view, const char *log, uint32_t max_count)
{
	mprof_finding_list_options options;

	mprof_finding_list_destroy(view->findings);
	view->findings = NULL;
	mprof_finding_list_options_init(&options, sizeof(options));
	options.log = log;
	options.max_count = max_count;
	options.name = write_name;
	options.user = view;
	return mprof_finding_list_create(view->profile, view->reader, &options, &view->findings);
}

static const table_column columns_of_findings[] = {
	COLUMN(mprof_finding, kind),    COLUMN(mprof_finding, text),     COLUMN(mprof_finding, command),
	COLUMN(mprof_finding, section), COLUMN(mprof_finding, severity),
};

SIZED_ROWS(findings, mprof_finding, mprof_finding_list_get_count(view->findings),
	   mprof_finding_list_get(view->findings, index, row))

static const table tables[] = {
	TABLE(findings),
};

const table_list finding_tables = {tables, sizeof(tables) / sizeof(tables[0])};
