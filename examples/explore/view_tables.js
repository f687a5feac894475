// SPDX-License-Identifier: MIT
// Views that are one table of the profile each.
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { bytesText, timeText } from './figures.js';
import { stackPanel } from './stack_panel.js';
import { DataTable } from './table.js';

const generations = (table) => Array.from(table.generation, (generation) => `generation ${generation}`);

const isDouble = 1;
const unitFormats = { 0x10: bytesText, 0x20: timeText };

// Values of metrics, some of which are the bits of a double.
function metricValues(rows, field) {
	const bits = new DataView(new ArrayBuffer(8));
	return Array.from(rows[field], (value, i) => {
		bits.setBigInt64(0, BigInt.asIntN(64, value));
		return (rows.flags[i] & isDouble) !== 0 ? bits.getFloat64(0) : Number(value);
	});
}

// A value of a metric in its unit.
function metricText(value, { flags }, row) {
	const format = unitFormats[flags[row] & 0xf0] ?? ((number) => number.toLocaleString('en-US', { maximumFractionDigits: 3 }));
	return format(value);
}

// id: of the view; name: of the table; columns: title, unit, field or function that makes the values, function of a value that
// makes a text; more: other tables
// of the same view, with the same fields; total: the total that a log with something to show has, if not rows of the table.
const definitions = [
	{ id: 'classes', title: 'Allocations', name: 'classes', total: 'allocations', sort: 'Bytes', columns: [
		['Class', 'text', 'id_text'], ['Bytes', 'bytes', 'bytes'], ['Objects', 'count', 'allocations'],
		['Freed objects', 'count', 'freed'], ['Freed bytes', 'bytes', 'freed_bytes'],
		['Exceptions', 'count', 'exceptions'], ['Loading', 'ns', 'load_ns']] },
	{ id: 'sites', title: 'Call sites', name: 'allocation_sites', sort: 'Bytes', columns: [
		['Class', 'text', 'class_id_text'], ['Call stack', 'text', 'stack_text'], ['Bytes', 'bytes', 'bytes'],
		['Objects', 'count', 'allocations'], ['Samples', 'count', 'samples']] },
	{ id: 'samples', title: 'Samples', name: 'samples', sort: 'Self', columns: [
		['Frame', 'text', 'id_text'], ['Self', 'count', 'self'], ['Total', 'count', 'total']] },
	{ id: 'threads', title: 'Threads', name: 'threads', sort: 'Time in methods', select: 'id_text', columns: [
		['Name', 'text', ({ name, id_text: ids }) => name.map((text, i) => text ?? ids[i])], ['Thread', 'text', 'id_text'], ['Process', 'text', 'process_text'], ['Time in methods', 'ns', 'self_ns'],
		['Processor time', 'ns', 'cpu_ns'], ['Events', 'count', 'events'], ['Samples', 'count', 'samples'],
		['Lost events', 'count', 'lost']] },
	{ id: 'spans', title: 'Spans', name: 'event_types', sort: 'Total', columns: [
		['Name', 'text', 'name'], ['Category', 'text', 'category'],
		['Form', 'text', 'form_text'],
		['Events', 'count', 'count'], ['Not ended', 'count', 'unfinished'], ['No start', 'count', 'unmatched'],
		['Errors', 'count', 'errors'], ['Total', 'ns', 'total_ns'], ['p50', 'ns', 'p50_ns'], ['p99', 'ns', 'p99_ns'],
		['Max', 'ns', 'max_ns']] },
	{ id: 'collections', title: 'Collections', name: 'collections', sort: 'Start', ascending: true, columns: [
		['Generation', 'text', generations], ['Number', 'count', 'number'], ['Start', 'ns', 'start_ns'],
		['Duration', 'ns', 'duration_ns'], ['Pause', 'ns', 'pause_ns'], ['Mark', 'ns', 'mark_ns'], ['Sweep', 'ns', 'sweep_ns']] },
	{ id: 'monitors', title: 'Locks', name: 'monitors', sort: 'Time waiting', columns: [
		['Class', 'text', 'class_id_text'], ['Time waiting', 'ns', 'contended_ns'], ['Waits', 'count', 'contentions'],
		['Acquired', 'count', 'acquired'], ['Failures', 'count', 'failures'], ['Not ended', 'count', 'unfinished']],
	more: [{ title: 'Call sites of waits', name: 'monitor_sites', sort: 'Time waiting', columns: [
		['Class', 'text', 'class_id_text'], ['Call stack', 'text', 'stack_text'], ['Time waiting', 'ns', 'contended_ns'],
		['Waits', 'count', 'contentions'], ['Failures', 'count', 'failures'], ['Not ended', 'count', 'unfinished']] },
	{ title: 'Threads that held the monitors', name: 'monitor_holders', sort: 'Time waiting', columns: [
		['Class', 'text', 'class_id_text'], ['Held by', 'text', 'thread_text'], ['Time waiting', 'ns', 'contended_ns'],
		['Waits', 'count', 'contentions'], ['Not ended', 'count', 'unfinished']] }] },
	{ id: 'exceptions', title: 'Exceptions', name: 'exception_sites', sort: 'Exceptions', columns: [
		['Class', 'text', 'class_id_text'], ['Call stack', 'text', 'stack_text'], ['Exceptions', 'count', 'exceptions']] },
	{ id: 'handles', title: 'Handles', name: 'handles', sort: 'Alive', columns: [
		['Class', 'text', 'class_id_text'], ['Type', 'text', 'type_text'],
		['Alive', 'count', 'alive'], ['Created', 'count', 'created'], ['Deleted', 'count', 'deleted']],
	more: [{ title: 'Call sites of handles', name: 'handle_sites', sort: 'Alive', columns: [
		['Class', 'text', 'class_id_text'], ['Type', 'text', 'type_text'],
		['Call stack', 'text', 'stack_text'], ['Alive', 'count', 'alive'], ['Created', 'count', 'created']] }] },
	{ id: 'memory', title: 'Native memory', name: 'memory_sites', sort: 'Live bytes', columns: [
		['Call stack', 'text', 'stack_text'], ['Live bytes', 'bytes', 'live_bytes'], ['Live blocks', 'count', 'live'],
		['Bytes', 'bytes', 'bytes'], ['Allocations', 'count', 'allocations'], ['Peak bytes', 'bytes', 'peak_bytes']] },
	{ id: 'metrics', title: 'Metrics', name: 'metrics', exact: true, sort: 'Metric', columns: [
		['Metric', 'text', 'name'], ['Section', 'text', 'section'], ['Values', 'count', 'count'],
		...[['First', 'first'], ['Last', 'last'], ['Minimum', 'minimum'], ['Maximum', 'maximum']].map(([heading, field]) =>
			[heading, 'count', (rows) => metricValues(rows, field), metricText])] },
	{ id: 'marks', title: 'Markers', name: 'marks', sort: 'Time', ascending: true, columns: [
		['Text', 'text', 'text'], ['Time', 'ns', 'time_ns'], ['Thread', 'text', 'thread_text']] },
];

// What to record to see something in a view.
const recordOptions = { classes: '--alloc', sites: '--alloc=stack or --calls --alloc', samples: '--sample', threads: '--threads',
	collections: '--gc', monitors: '--monitor', exceptions: '--exceptions=stack', handles: '--handles', metrics: '--counters' };

/** What a view states that has nothing to show. */
export function emptyText(option) {
	const advice = option === undefined ? '.' : `: record with mprof record ${option}.`;
	return element('p', { class: 'empty' }, `Nothing of this kind was recorded in the selection${advice}`);
}

// What a row opens: its call stack, or the selection of a thread.
function activateOf(rows, select, context, panel) {
	if (select !== undefined)
		return (row) => changeAddress({ threads: rows[select][row] });
	if (rows.stack_text === undefined)
		return null;
	return async (row) => {
		panel.replaceChildren(element('p', { class: 'faint', 'aria-busy': 'true' }, rows.stack_text[row] ?? 'Call stack ...'));
		const { frames } = await context.client.ask('stack', { selection: context.selection, stack: rows.stack[row], call: rows.call?.[row] ?? 0 });
		panel.replaceChildren(...stackPanel(rows.class_id_text?.[row] ?? null, frames, () => panel.replaceChildren()));
		panel.scrollIntoView({ block: 'nearest' });
	};
}

async function makeTable({ id, title, name, sort, ascending, select, columns, exact = false }, context, isMore) {
	const { client, selection, address } = context;
	const rows = await client.ask('table', { selection, name, options: { exact } });
	const made = columns.map(([heading, unit, field, textOf]) => {
		const values = typeof field === 'string' ? rows[field] : field(rows);
		return { title: heading, unit, values, isStack: field === 'stack_text', text: textOf === undefined ? undefined : (row) => textOf(values[row], rows, row) };
	});
	const used = made.filter(({ values }) => values.some((value) => value !== null && value !== '' && Number(value) !== 0));
	const panel = element('div', { class: 'panel' });
	const activate = activateOf(rows, select, context, panel);
	const table = new DataTable(rows.length, used.length > 0 ? used : made,
		{ name: id ?? name, title, search: address.search, sort, ascending, short: isMore, activate });
	const notes = [rows.rounded ? 'Numbers above 2^53 are rounded.' : null, activate === null ? null
		: select === undefined ? 'A row opens its call stack.' : 'A row selects its thread for all views.'].filter((note) => note !== null);
	return { length: rows.length, parts: [element('div', { class: 'tools' }, ...table.tools, element('span', { class: 'faint' }, notes.join(' '))),
		table.element, panel] };
}

function makeView(definition) {
	return {
		id: definition.id,
		title: definition.title,
		isFilled: ({ rows, totals }) => (definition.total === undefined ? [definition, ...definition.more ?? []].some(({ name }) => rows[name] > 0)
			: totals[definition.total] > 0),
		async draw(container, context) {
			const { length, parts } = await makeTable(definition, context, false);
			if (length === 0)
				parts.push(emptyText(recordOptions[definition.id]));
			for (const more of definition.more ?? []) {
				const other = await makeTable(more, context, true);
				if (other.length > 0)
					parts.push(element('h2', {}, more.title), ...other.parts);
			}
			container.replaceChildren(...parts);
		},
	};
}

export const tableViews = definitions.map(makeView);
