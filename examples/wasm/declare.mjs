// SPDX-License-Identifier: MIT
// Declares the tables of the module in TypeScript: the interface Tables of mprof.d.ts.
//
// node declare.mjs WASM TYPES: replaces the interface in the file TYPES.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// By the numbers of column_type in table.h.
const types = ['Uint32Array', 'Amounts', 'Amounts', 'BigUint64Array', '(string | null)[]', 'Float64Array',
	'Uint32Array'];
const maxWidth = 112;
const pattern = /export interface Tables \{\n[^]*?\n\}\n/;

/** The interface as it stands in the text of mprof.d.ts; '' if it is not there. */
export function declaredTables(text) {
	return pattern.exec(text)?.[0] ?? '';
}

/** The interface as the module has it. */
export function declareTables(mprof) {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [wasm, path] = process.argv.slice(2);
	const { loadMprof } = await import('./mprof.js');
	const text = readFileSync(path, 'utf8');
	writeFileSync(path, text.replace(pattern, declareTables(await loadMprof(readFileSync(wasm)))));
}
