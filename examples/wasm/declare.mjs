// SPDX-License-Identifier: MIT
// Declares the tables of the module in TypeScript.
//
// node declare.mjs WASM: writes tables.d.ts, which mprof.d.ts imports, to standard output.
import { readFileSync } from 'node:fs';
import { loadMprof } from './mprof.js';

// By the numbers of column_type in table.h.
const types = ['Uint32Array', 'Amounts', 'Amounts', 'BigUint64Array', '(string | null)[]', 'Float64Array',
	'Uint32Array'];
const maxWidth = 112;

/** The interface, with the tables in the order of the module. */
function declareTables(mprof) {
	const lines = mprof.tableNames.flatMap((name) => {
		const fields = mprof.table(name).columns.map((column) => `${column.name}: ${types[column.type]}`);
		const line = `\t${name}: { ${fields.join('; ')} };`;
		if (line.length + 7 <= maxWidth)
			return [line];
		const wrapped = [`\t${name}: {`];
		let last = '';
		for (const field of fields) {
			if (last !== '' && `${last} ${field};`.length + 16 > maxWidth) {
				wrapped.push(`\t\t${last}`);
				last = '';
			}
			last += `${last === '' ? '' : ' '}${field};`;
		}
		return [...wrapped, `\t\t${last}`, '\t};'];
	});
	return `export interface Tables {\n${lines.join('\n')}\n}\n`;
}

process.stdout.write(`// SPDX-License-Identifier: MIT
// Written by declare.mjs: the columns of each table. A column of an array has all elements of a row one after the
// other.
import type { Amounts } from './mprof.js';

${declareTables(await loadMprof(readFileSync(process.argv[2])))}`);
