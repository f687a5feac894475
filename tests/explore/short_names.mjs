// SPDX-License-Identifier: MIT
// Short names keep what distinguishes them, in the page and in the script of a flame graph alike:
// short_names.mjs SHORT_NAME_JS NAMES SVG.
import { readFileSync } from 'node:fs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , script, table, picture] = process.argv;
const { shortName } = await import(script);

// The functions of the picture's script that shorten names.
const [, functions] = /(function groupEnd[^]*?)\n\/\/ The name in a title/.exec(readFileSync(picture, 'utf8'));
const fit = new Function(`${functions}; return fit;`)();

const wanted = readFileSync(table, 'utf8').split('\n').filter((line) => /^\d/.test(line)).map((line) => line.split('\t'));
for (const [width, name, short] of wanted) {
	expect(`${name} in ${width} characters`, shortName(name, Number(width)), short);
	expect(`${name} in ${width} characters of a picture`, fit(name, Number(width)), short);
}
for (const [, name] of wanted) {
	for (let width = 1; width < name.length + 2; width++) {
		expect(`${name} in ${width} characters is short enough`, shortName(name, width).length <= width, true);
		expect(`${name} in ${width} characters is the same in a picture`, fit(name, width), shortName(name, width));
	}
}
expectMany(2 * wanted.length);
finish();
