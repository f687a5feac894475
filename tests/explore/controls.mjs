// SPDX-License-Identifier: MIT
// Opens the pages that test_controls.sh made: a log that is dropped, files that are saved, the search, keys, the theme,
// and names that contain markup, in every view.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser, keys } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const address = (name) => `file://${resolve(name)}`;
const reportOf = (log) => JSON.parse(readFileSync(`${log}.json`, 'utf8'));

// What a button saves, as {type, text}.
async function save(browser, title) {
	await browser.run((text) => {
		const { createObjectURL } = URL;
		URL.createObjectURL = (blob) => {
			blob.text().then((content) => { window.saved = { type: blob.type, text: content }; });
			return createObjectURL.call(URL, blob);
		};
		window.saved = null;
		addEventListener('click', (event) => event.target.closest('a[download]') && event.preventDefault(), { capture: true });
		Array.from(document.querySelectorAll('#main button')).find((button) => button.textContent === text).click();
		URL.createObjectURL = createObjectURL;
	}, title);
	return browser.wait(`the file of ${title}`, () => window.saved);
}

function parseCsv(text) {
	const rows = [[]];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/g)) {
		rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		if (end === '\n')
			rows.push([]);
	}
	return rows.slice(0, -1);
}

async function checkDrop(browser) {
	await browser.open(address('none.html'));
	await browser.wait('the invitation', () => document.body.dataset.state === 'empty');
	const state = await browser.run((base64) => {
		const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
		const data = new DataTransfer();
		data.items.add(new File([bytes], 'dropped.mprof'));
		const isAllowed = !document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
		document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
		return { isAllowed, title: document.title };
	}, readFileSync('gzip.mprof').toString('base64'));
	expect('a file may be dropped', state.isAllowed, true);
	expect('title', state.title, 'dropped.mprof');
	await browser.wait('the log', () => document.body.dataset.state === 'ready');
	const calls = await browser.run(() => Number(document.querySelector('dd[data-key=calls]').dataset.value));
	expect('calls of the dropped log', calls, reportOf('gzip').totals.calls);
}

async function checkTables(browser) {
	const report = reportOf('sample');
	await browser.openLog(address('sample.html'), '#view=methods');
	const { type, text } = await save(browser, 'Save as CSV');
	const [titles, ...rows] = parseCsv(text);
	expect('type of the table', type, 'text/csv');
	expect('rows of the table', rows.length, report.methods.length);
	const self = titles.indexOf('Self (ns)');
	const sum = (values) => values.reduce((a, b) => a + b, 0);
	expect('own time of all rows', sum(rows.map((row) => Number(row[self]))), sum(report.methods.map(({ self_ns: time }) => time)));
	await browser.show('view=methods&search=fib');
	expect('rows of the search', parseCsv((await save(browser, 'Save as CSV')).text).length, 2);
	await browser.type('#main tbody tr.active', keys.enter);
	await browser.wait('the callers', () => location.hash.includes('method='));
	await browser.openLog(address('timeline.html'), '#view=monitors');
	const cells = await browser.run(() => Array.from(document.querySelectorAll('#main table'), (table) =>
		Array.from(table.querySelectorAll('tbody tr:not(.space)'), (row) => row.textContent)));
	const { monitors, monitor_holders: holders } = reportOf('timeline');
	expect('monitors', cells[0].length, monitors.length);
	expect('holders', cells.at(-1).length, holders.length);
	expect('holder', cells.at(-1)[0].includes(holders[0].holder), true);
}

// Files of SVG are well-formed and contain nothing but shapes and texts.
async function checkPictures(browser, log, views) {
	await browser.openLog(address(`${log}.html`));
	for (const view of views) {
		await browser.show(view);
		const { type, text } = await save(browser, 'Save as SVG');
		expect(`${log}, ${view}: type`, type, 'image/svg+xml');
		const found = await browser.run((svg) => {
			const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
			return { error: parsed.querySelector('parsererror')?.textContent ?? null, shapes: parsed.querySelectorAll('rect').length,
				others: Array.from(parsed.querySelectorAll('*'), ({ localName }) => localName)
					.filter((name) => !['svg', 'g', 'rect', 'text', 'title', 'polyline'].includes(name)).join() };
		}, text);
		expect(`${log}, ${view}: errors`, found.error, null);
		expect(`${log}, ${view}: other elements`, found.others, '');
		expect(`${log}, ${view}: shapes`, found.shapes > 1, true);
	}
}

async function checkTheme(browser) {
	await browser.openLog(address('sample.html'), '#view=flame');
	const read = () => ({ theme: document.documentElement.dataset.theme, ground: getComputedStyle(document.body).backgroundColor });
	const before = await browser.run(read);
	await browser.run(() => document.getElementById('theme').click());
	const after = await browser.run(read);
	expect('themes', [before.theme, after.theme].sort().join(), 'dark,light');
	expect('the ground changes', before.ground !== after.ground, true);
}

async function checkHostile(browser) {
	await browser.openLog(address('hostile.html'));
	const views = await browser.run(() => Array.from(document.querySelectorAll('nav a'), (link) => link.dataset.view));
	for (const view of [...views, 'handles', 'monitors', 'methods&search=<img src=x>']) {
		await browser.show(`view=${view}`);
		expect(`${view}: state`, await browser.run(() => document.body.dataset.state), 'ready');
		expect(`${view}: elements from names`, await browser.run(() => document.querySelectorAll('img, b, main script').length), 0);
	}
	expect('views', views.length > 8, true);
	expect('title', await browser.run(() => document.title), '<img src=x onerror=document.title=1>.mprof');
}

const browser = await Browser.start();
try {
	await checkDrop(browser);
	await checkTables(browser);
	await checkPictures(browser, 'sample', ['view=flame&source=calls', 'view=timeline', 'view=heat']);
	await checkPictures(browser, 'growing', ['view=heap&shot=3&part=treemap', 'view=heap&shot=3&part=dominators']);
	await checkTheme(browser);
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
	await checkHostile(browser);
	await checkPictures(browser, 'hostile', ['view=flame&source=calls', 'view=timeline']);
} finally {
	await browser.close();
}
expectMany(60);
finish();
