// SPDX-License-Identifier: MIT
// Kinds of names, with the numbers of names.c.

// What mprof_js_get_name() and mprof_js_get_definition_count() take; 1 to 5 are the kinds of frames.
export const nameKinds = { class: 16, readable: 17, event: 18, block: 19, dialect: 20, loss: 21, status: 22, form: 23,
	handle: 24 };

export const frameKinds = Object.freeze({ method: 1, function: 2, module: 3, location: 4, truncated: 5, idle: 9 });

// Of columns, by the numbers of the library: mprof_column_unit and mprof_column_measure.
export const unitNames = [null, 'count', 'bytes', 'ns', 'time', 'method', 'class', 'thread', 'stack', 'call', 'row',
	'address', 'number', 'kind', 'bits', 'boolean', 'text', 'value'];

export const measureNames = [null, 'count', 'self', 'total', 'further', 'liveCount', 'live', 'peakCount', 'peak',
	'temporaryCount', 'temporary', 'sampled'];
