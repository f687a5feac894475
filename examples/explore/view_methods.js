// SPDX-License-Identifier: MIT
// Methods, with callers and callees of a chosen one.
import { changeAddress, linkTo } from './address.js';
import { element } from './dom.js';
import { DataTable, columnOf } from './table.js';

const methodFigures = [['Self', '@self'], ['Total', '@total'], ['Calls', '@count'], ['Compiling', 'jit_ns'], ['Samples', 'samples'],
	['Samples with callees', 'samples_total']];
const neighbourSources = [['calls', 'ns', 'Calls'], ['samples', 'count', null], ['allocations', 'bytes', 'Objects']];

// Columns of callers and callees in the unit of their source.
function neighbourColumns(table, unit, countName) {
	const columns = [{ title: 'Method', unit: 'text', values: table.id_text, none: '(no caller)' },
		{ title: 'Total', unit, values: table.total }, { title: 'Self', unit, values: table.self }];
	if (countName !== null)
		columns.push({ title: countName, unit: 'count', values: table.count });
	return columns;
}

async function drawMethod(container, { client, selection, address }, id) {
	const number = Number(id);
	const found = [];
	for (const [source, unit, countName] of neighbourSources) {
		const { callers, callees, name, file, line } = await client.ask('neighbours', { selection, source, kind: 1, id: number });
		found.file = file === null ? null : `${file}${line > 0 ? `:${line}` : ''}`;
		if (callers.length > 0)
			found.push({ source, unit, countName, callers, callees, name });
		else if (found.length === 0)
			found.name = name;
	}
	const open = (table) => (row) => {
		if (table.kind[row] === 1)
			changeAddress({ method: table.id[row], search: null });
	};
	const part = ({ source, unit, countName, callers, callees }) => {
		const make = (title, table) => {
			const rows = new DataTable(table.length, neighbourColumns(table, unit, countName),
				{ name: `${title}-${id}`.toLowerCase(), title, search: address.search, sort: 'Total', short: true, activate: open(table) });
			return element('section', {}, element('h2', {}, `${title} (${source})`), rows.element, element('div', { class: 'tools' }, ...rows.tools));
		};
		return element('div', { class: 'columns' }, make('Callers', callers), make('Callees', callees));
	};
	container.replaceChildren(
		element('div', { class: 'tools' }, element('a', { href: linkTo('methods') }, 'All methods')),
		element('h2', {}, found[0]?.name ?? found.name ?? 'unknown'),
		found.file === null ? '' : element('p', { class: 'faint', id: 'source' }, found.file),
		...(found.length > 0 ? found.map(part) : [element('p', {}, 'The log has no call stacks with this method.')]));
}

export const methodsView = {
	id: 'methods',
	title: 'Methods',
	isFilled: ({ rows }) => rows.methods > 0,
	async draw(container, context) {
		const { client, selection, address } = context;
		if (address.method !== undefined) {
			await drawMethod(container, context, address.method);
			return;
		}
		const methods = await client.ask('table', { selection, name: 'methods' });
		const columns = [{ title: 'Method', unit: 'text', values: methods.id_text, none: 'unknown' },
			...methodFigures.map(([title, field]) => ({ title, ...columnOf(methods, field) }))];
		const used = columns.filter(({ values, unit }) => unit === 'text' || values.some((value) => value > 0));
		const hasTime = columns[1].values.some((value) => value > 0);
		const table = new DataTable(methods.length, used, { name: 'methods', search: address.search,
			sort: hasTime ? 'Self' : 'Samples', activate: (row) => changeAddress({ method: methods.id[row], search: null }) });
		container.replaceChildren(element('div', { class: 'tools' }, ...table.tools,
			element('span', { class: 'faint' }, 'A row opens the callers and callees of a method.')), table.element);
	},
};
