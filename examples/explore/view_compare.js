// SPDX-License-Identifier: MIT
// What differs between the log of the page and another one: methods and classes before and after.
import { Client } from './client.js';
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { DataTable, columnOf } from './table.js';

// For each table: its columns that are compared, the first one decides the order.
const tables = [
	{ id: 'methods', title: 'Methods', fields: [['@self', 'Self'], ['@total', 'Total'], ['@count', 'Calls'], ['samples', 'Samples']] },
	{ id: 'samples', title: 'Samples', fields: [['@self', 'Self'], ['@total', 'Total']] },
	{ id: 'classes', title: 'Allocations', fields: [['@self', 'Bytes'], ['@count', 'Objects']] },
];

/** Another log, which a worker of its own reads. The log of the page is before, the other one after. */
export class Comparison {
	#client;
	#read;

	constructor(before, after) {
		this.before = before;
		this.after = after;
		this.#read = new Promise((resolve, reject) => {
			this.#client = new Client(({ finished }) => finished && resolve(), (text) => reject(new Error(text)));
		});
	}

	async read(file) {
		await this.#client.ready;
		this.#client.send({ file });
		await this.#read;
		const { status } = await this.#client.ask('overview', {});
		if (status === 'not-mprof')
			throw new Error('it is not a log of a profiler');
	}

	/** A table of the other log. */
	table(name) {
		return this.#client.ask('table', { selection: {}, name });
	}

	close() {
		this.#client.close();
	}
}

// Rows of both logs by their names. Rows of the same name are one.
function joinRows(before, after, fields) {
	const rows = new Map();
	[before, after].forEach((table, side) => {
		const values = fields.map(([field]) => columnOf(table, field).values);
		for (let i = 0; i < table.length; i++) {
			const name = table.id_text[i] ?? 'unknown';
			const row = rows.get(name) ?? { name, sides: fields.map(() => [0, 0]) };
			rows.set(name, row);
			values.forEach((column, at) => { row.sides[at][side] += column[i]; });
		}
	});
	return Array.from(rows.values());
}

function makeDifference({ id, title, fields }, before, after, search) {
	const rows = joinRows(before, after, fields);
	const columns = [{ title: 'Name', unit: 'text', values: rows.map(({ name }) => name) }];
	fields.forEach(([field, name], at) => {
		const { unit } = columnOf(before, field);
		const sides = rows.map((row) => row.sides[at]);
		if (sides.every(([a, b]) => a === 0 && b === 0))
			return;
		columns.push({ title: `${name} difference`, unit, values: sides.map(([a, b]) => b - a), isSigned: true },
			{ title: `${name} before`, unit, values: sides.map(([a]) => a) }, { title: `${name} after`, unit, values: sides.map(([, b]) => b) });
	});
	return new DataTable(rows.length, columns, { name: `difference-${id}`, title, search, sort: columns[1]?.title ?? 'Name' });
}

export const compareView = {
	id: 'compare',
	title: 'Comparison',
	async draw(container, { client, address, comparison }) {
		if (comparison === null) {
			container.replaceChildren(element('p', { class: 'empty' }, 'Drop a second log onto this page to compare both.'));
			return;
		}
		const found = [];
		for (const table of tables) {
			const [before, after] = await Promise.all([client.ask('table', { selection: {}, name: table.id }), comparison.table(table.id)]);
			const hasValues = [before, after].some((side) => columnOf(side, table.fields[0][0]).values.some((value) => value > 0));
			if (hasValues)
				found.push({ table, before, after });
		}
		const chosen = found.find(({ table }) => table.id === address.part) ?? found[0];
		const title = element('p', {}, 'Before: ', element('strong', {}, comparison.before), ', after: ', element('strong', {}, comparison.after));
		if (chosen === undefined) {
			container.replaceChildren(title, element('p', { class: 'empty' }, 'Neither log has methods, samples or allocations.'));
			return;
		}
		const table = makeDifference(chosen.table, chosen.before, chosen.after, address.search);
		container.replaceChildren(title, element('div', { class: 'tools' }, ...found.map(({ table: { id, title: text } }) =>
			element('button', { type: 'button', 'aria-pressed': id === chosen.table.id ? 'true' : 'false', onclick: () => changeAddress({ part: id }) }, text)),
		...table.tools), table.element);
	},
};
