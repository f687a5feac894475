// SPDX-License-Identifier: MIT
// Views that are one table of the profile each.
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { bytesText, timeText } from './figures.js';
import { stackPanel } from './stack_panel.js';
import { DataTable, columnOf } from './table.js';

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

const formTitles = { instant: 'event', begin: 'span', 'async-begin': 'span across threads', 'async-end': 'end of a span', end: 'end of a span' };

// id: of the view; name: of the table; columns: title, what has the values, function of a value that makes a text; more: other
// tables of the same view, with the same fields; total: the total that a log with something to show has, if not rows of the
// table. Values are those of a field, of the field with a measure, such as '@self', or made by a function.
const definitions = [
	{ id: 'classes', title: 'Allocations', name: 'classes', total: 'allocations', sort: 'Bytes', columns: [
		['Class', 'id_text'], ['Bytes', '@self'], ['Objects', '@count'],
		['Freed objects', 'freed'], ['Freed bytes', 'freed_bytes'],
		['Exceptions', 'exceptions'], ['Loading', 'load_ns']] },
	{ id: 'sites', title: 'Call sites', name: 'allocation_sites', sort: 'Bytes', columns: [
		['Class', 'class_id_text'], ['Call stack', 'stack_text'], ['Bytes', '@self'],
		['Objects', '@count'], ['Samples', 'samples']] },
	{ id: 'samples', title: 'Samples', name: 'samples', sort: 'Self', columns: [
		['Frame', 'id_text'], ['Self', '@self'], ['Total', '@total']] },
	{ id: 'threads', title: 'Threads', name: 'threads', sort: 'Time in methods', select: 'id_text', columns: [
		['Name', ({ name, id_text: ids }) => name.map((text, i) => text ?? ids[i])], ['Thread', 'id_text'], ['Process', 'process_text'], ['Time in methods', '@self'],
		['Processor time', 'cpu_ns'], ['Events', '@count'], ['Samples', 'samples'],
		['Lost events', 'lost']] },
	{ id: 'spans', title: 'Spans', name: 'event_types', sort: 'Total', columns: [
		['Name', 'name'], ['Category', 'category'],
		['Form', ({ form_text: forms }) => Array.from(forms, (form) => formTitles[form] ?? form)],
		['Events', '@count'], ['Not ended', 'unfinished'], ['No start', 'unmatched'],
		['Errors', 'errors'], ['Total', '@total'], ['p50', 'p50_ns'], ['p99', 'p99_ns'],
		['Max', 'max_ns']] },
	{ id: 'collections', title: 'Collections', name: 'collections', sort: 'Start', ascending: true, columns: [
		['Generation', generations], ['Number', 'number'], ['Start', 'start_ns'],
		['Duration', 'duration_ns'], ['Pause', 'pause_ns'], ['Mark', 'mark_ns'], ['Sweep', 'sweep_ns']] },
	{ id: 'monitors', title: 'Locks', name: 'monitors', sort: 'Time waiting', columns: [
		['Class', 'class_id_text'], ['Time waiting', '@self'], ['Waits', '@count'],
		['Acquired', 'acquired'], ['Failures', 'failures'], ['Not ended', 'unfinished']],
	more: [{ title: 'Call sites of waits', name: 'monitor_sites', sort: 'Time waiting', columns: [
		['Class', 'class_id_text'], ['Call stack', 'stack_text'], ['Time waiting', '@self'],
		['Waits', '@count'], ['Failures', 'failures'], ['Not ended', 'unfinished']] },
	{ title: 'Threads that held the monitors', name: 'monitor_holders', sort: 'Time waiting', columns: [
		['Class', 'class_id_text'], ['Held by', 'thread_text'], ['Time waiting', '@self'],
		['Waits', '@count'], ['Not ended', 'unfinished']] }] },
	{ id: 'exceptions', title: 'Exceptions', name: 'exception_sites', sort: 'Exceptions', columns: [
		['Class', 'class_id_text'], ['Call stack', 'stack_text'], ['Exceptions', '@count']] },
	{ id: 'handles', title: 'Handles', name: 'handles', sort: 'Alive', columns: [
		['Class', 'class_id_text'], ['Type', 'type_text'],
		['Alive', '@self'], ['Created', '@count'], ['Deleted', 'deleted']],
	more: [{ title: 'Call sites of handles', name: 'handle_sites', sort: 'Alive', columns: [
		['Class', 'class_id_text'], ['Type', 'type_text'],
		['Call stack', 'stack_text'], ['Alive', '@self'], ['Created', '@count']] }] },
	{ id: 'memory', title: 'Native memory', name: 'memory_sites', sort: 'Live bytes', columns: [
		['Call stack', 'stack_text'], ['Live bytes', '@live'], ['Live blocks', '@liveCount'],
		['Unreachable bytes', 'unreachable_bytes'], ['Unreachable blocks', 'unreachable'],
		['Bytes', '@self'], ['Allocations', '@count'], ['Peak bytes', '@peak']] },
	{ id: 'metrics', title: 'Metrics', name: 'metrics', exact: true, sort: 'Metric', columns: [
		['Metric', 'name'], ['Section', 'section'], ['Values', 'count'],
		...[['First', 'first'], ['Last', 'last'], ['Minimum', 'minimum'], ['Maximum', 'maximum']].map(([heading, field]) =>
			[heading, (rows) => metricValues(rows, field), metricText])] },
	{ id: 'marks', title: 'Markers', name: 'marks', sort: 'Time', ascending: true, columns: [
		['Text', 'text'], ['Time', 'time_ns'], ['Thread', 'thread_text']] },
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
	const made = columns.map(([heading, wanted, textOf]) => {
		const { values, unit } = columnOf(rows, wanted);
		return { title: heading, unit, values, isStack: wanted === 'stack_text', text: textOf === undefined ? undefined : (row) => textOf(values[row], rows, row) };
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
