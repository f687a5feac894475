// SPDX-License-Identifier: MIT
// Opens the page that test_native_lines.sh made: native_lines.mjs [without].
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , isWithout] = process.argv;
const page = `file://${resolve('app.html')}`;

// The frames of a tree as "NAME TOTAL SELF", indented by their depth.
function readTree({ source, inverted }) {
	return client.ask('frames', { selection: {}, source, inverted }).then(({ nodes, name, names }) => {
		const depths = [0];
		return Array.from(name).slice(1).map((at, i) => {
			const node = i + 1;
			depths[node] = depths[nodes.parent[node]] + 1;
			const isInlined = (nodes.flags[node] & frameFlags.inlined) !== 0;
			return `${depths[node]} ${names[at]}${isInlined ? ' (inlined)' : ''} ${nodes.total[node]} ${nodes.self[node]}`;
		}).sort();
	});
}

function expectTree(what, found, wanted) {
	expect(what, JSON.stringify(found), JSON.stringify([...wanted].sort()));
}

async function checkTrees(browser) {
	expectTree('samples', await browser.run(readTree, { source: 'samples', inverted: false }),
		['1 main 5 0', '2 work 5 1', '3 middle (inlined) 4 1', '4 inner (inlined) 3 3']);
	expectTree('callers of samples', await browser.run(readTree, { source: 'samples', inverted: true }), ['1 inner (inlined) 3 0', '2 middle (inlined) 3 0',
		'3 work 3 0', '4 main 3 3', '1 middle (inlined) 1 0', '2 work 1 0', '3 main 1 1', '1 work 1 0', '2 main 1 1']);
	expectTree('native memory', await browser.run(readTree, { source: 'memory', inverted: false }),
		['1 main 300 0', '2 work 300 100', '3 middle (inlined) 200 100', '4 inner (inlined) 100 100']);
	await browser.show('view=flame&source=samples');
	const titles = await browser.run(() => Array.from(document.querySelectorAll('#main .legend-entry'), (entry) => entry.textContent.trim()));
	expect('kinds of frames', titles.join(), 'native code,inlined code');
	for (const title of titles)
		expect(`${title} in the picture`, readFileSync('app.svg', 'utf8').includes(`>${title}<`), true);
}

// The call stack of a row has the lines of the report.
async function checkStack(browser) {
	const { memory } = JSON.parse(readFileSync('app.json', 'utf8'));
	const place = memory.places.find(({ stack }) => stack[0] === 'inner (inlined)');
	const lines = place.stack_lines.map((line) => line.split('/').at(-1));
	await browser.show('view=memory');
	const rows = await browser.run(() => document.querySelectorAll('#main tbody tr.active').length);
	let found = null;
	for (let row = 0; row < rows && found === null; row++) {
		await browser.run((at) => {
			document.querySelector('.panel').replaceChildren();
			document.querySelectorAll('#main tbody tr.active')[at].click();
		}, row);
		await browser.wait('the call stack', () => document.querySelectorAll('.stack li').length > 0);
		const items = await browser.run(() => Array.from(document.querySelectorAll('.stack li'), (item) => item.textContent.trim()));
		found = items.length === lines.length ? items : null;
	}
	expect('the call stack', JSON.stringify(found), JSON.stringify(['inner', 'middle', 'work', 'main'].map((name, i) =>
		`${name}  ${lines[i]}, app${i < 2 ? ', inlined' : ''}`)));
}

const browser = await Browser.start();
try {
	await browser.openLog(page);
	if (isWithout === undefined) {
		await checkTrees(browser);
		await checkStack(browser);
	} else {
		expectTree('samples', await browser.run(readTree, { source: 'samples', inverted: false }), ['1 main 5 0', '2 work 5 5']);
		expectTree('native memory', await browser.run(readTree, { source: 'memory', inverted: false }), ['1 main 300 0', '2 work 300 300']);
	}
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
} finally {
	await browser.close();
}
expectMany(isWithout === undefined ? 6 : 2);
finish();
