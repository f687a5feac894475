// SPDX-License-Identifier: MIT
// Opens the pages that test_views.sh made: with a directory, every view in sizes and themes, to write a picture of each there;
// else, what the views have and do: views.mjs [DIRECTORY].
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , directory] = process.argv;

const address = (name) => `file://${resolve(name)}`;

const looks = { light: [1280, 800, false], dark: [1280, 800, true], phone: [390, 844, false] };

// Views by the log that has most to show in them.
const views = {
	full: ['overview', 'samples', 'sites', 'handles', 'exceptions', 'events', 'metrics', 'marks', 'threads', 'classes'],
	timeline: ['timeline&metrics=1', 'heat', 'flame', 'methods', 'monitors', 'collections'],
	spans: ['spans'],
	lines: ['lines', 'lines&file=demo.txt', 'samples', 'sites', 'flame'],
	memory: ['memory', 'flame'],
	states: ['timeline', 'heat'],
	growing: ['timeline', 'heap', 'heap&part=treemap', 'heap&part=dominators', 'heap&base=1'],
};

// What a designer would not accept, as texts.
function findFaults() {
	const faults = [];
	const { innerWidth: width, innerHeight: height } = window;
	if (document.documentElement.scrollWidth > width)
		faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
	const main = document.getElementById('main');
	const box = main.getBoundingClientRect();
	if (box.height < height / 2)
		faults.push(`the view has ${box.height} of ${height} pixels`);
	if (main.querySelector('canvas, td, li, dd') === null)
		faults.push('the view is empty');
	if (document.querySelector('nav a[aria-current]')?.getBoundingClientRect().right > width)
		faults.push('the current tab is out of view');
	for (const table of main.querySelectorAll('.table:not(.source)')) {
		const name = table.querySelector('tbody tr:not(.space) td.name');
		const { left, right } = name?.getBoundingClientRect() ?? { left: 0, right: 0 };
		if (name === null || left < box.left || right > width || right - left < 30)
			faults.push(`the name in the table ${table.firstChild.getAttribute('aria-label')} is out of view`);
		table.scrollLeft = 1000;
		if (name?.getBoundingClientRect().left < table.getBoundingClientRect().left)
			faults.push('the name scrolls out of view');
		table.scrollLeft = 0;
	}
	const channels = (color) => color.match(/[\d.]+/g).map((value, i) => (color.startsWith('color(') && i < 3 ? 255 * value : Number(value)));
	const luminance = (color) => channels(color).slice(0, 3).map((value) => value / 255)
		.map((value) => (value <= 0.04 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
		.reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
	const groundOf = (part) => {
		for (let at = part; at !== null; at = at.parentElement) {
			const color = getComputedStyle(at).backgroundColor;
			if (channels(color)[3] !== 0)
				return color;
		}
		return 'rgb(255, 255, 255)';
	};
	for (const part of document.querySelectorAll('body *')) {
		const hasText = Array.from(part.childNodes).some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
		if (!hasText || !part.checkVisibility() || ['SCRIPT', 'STYLE', 'OPTION'].includes(part.tagName))
			continue;
		const [light, dark] = [luminance(getComputedStyle(part).color), luminance(groundOf(part))].sort((a, b) => b - a);
		if ((light + 0.05) / (dark + 0.05) < 4.5)
			faults.push(`too little contrast: ${part.tagName} "${part.textContent.slice(0, 30)}"`);
	}
	return faults.join('; ');
}

async function checkLooks(browser, directory) {
	let pictures = 0;
	for (const [look, [width, height, isDark]] of Object.entries(looks)) {
		await browser.resize(width, height, isDark);
		for (const [log, list] of Object.entries(views)) {
			await browser.openLog(address(`${log}.html`));
			const known = await browser.run(() => Array.from(document.querySelectorAll('nav a'), (link) => link.dataset.view));
			for (const view of list) {
				await browser.show(`view=${view}`);
				await browser.run(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
				expect(`${look}, ${log}, ${view}: faults`, await browser.run(findFaults), '');
				expect(`${look}, ${log}, ${view}: has a tab`, known.includes(view.split('&')[0]), true);
				expect(`${look}, ${log}, ${view}: theme`, await browser.run(() => document.documentElement.dataset.theme), isDark ? 'dark' : 'light');
				await browser.screenshot(join(directory, `${log}-${view.replace(/\W+/g, '-')}-${look}.png`));
				pictures++;
			}
		}
	}
	await browser.resize(1280, 800);
	writeFileSync('pictures', String(pictures));
}

// Every view has a picture, and a tab shows something.
async function checkTabs(browser) {
	const shown = new Set(Object.values(views).flat().map((view) => view.split('&')[0]));
	const orders = {};
	for (const log of Object.keys(views)) {
		await browser.openLog(address(`${log}.html`));
		const tabs = await browser.run(() => Array.from(document.querySelectorAll('nav a'), (link) => link.dataset.view));
		orders[log] = tabs;
		expect(`${log}: views without a picture`, tabs.filter((view) => !shown.has(view)).join(), '');
		for (const view of tabs) {
			await browser.show(`view=${view}`);
			expect(`${log}: ${view} is empty`, await browser.run(() => document.querySelector('#main .empty')?.textContent ?? ''), '');
		}
	}
	expect('a heap log', orders.growing[1], 'heap');
	expect('a log of native memory', orders.memory[1], 'memory');
	expect('a log of calls', orders.timeline[1], 'flame');
}

// The overview says what the report says, with call sites where the page has them, and links to the views that show it.
async function checkFindings(browser) {
	const links = { growing: 'heap', memory: 'memory', names: 'flame', timeline: 'methods' };
	for (const log of ['full', 'growing', 'memory', 'names', 'timeline']) {
		const { findings } = JSON.parse(readFileSync(`${log}.json`, 'utf8'));
		await browser.openLog(address(`${log}.html`), '#view=overview');
		const shown = await browser.run(() => Array.from(document.querySelectorAll('#main .findings li'), (item) => ({
			text: item.firstChild.textContent, command: item.querySelector('code')?.textContent ?? null,
			view: /view=(\w+)/.exec(item.querySelector('a')?.href ?? '')?.[1] ?? null })));
		for (const { text, command } of findings) {
			const found = shown.find((item) => item.text.startsWith(text.slice(0, -1)));
			expect(`${log}: the command of ${text}`, found?.command, command);
		}
		expect(`${log}: findings`, shown.filter(({ command }) => command !== null).length, findings.length);
		if (links[log] !== undefined)
			expect(`${log}: a link to the view ${links[log]}`, shown.some(({ view }) => view === links[log]), true);
	}
}

// Threads of a log of several processes have their process.
async function checkProcesses(browser) {
	await browser.openLog(address('merged.html'), '#view=threads');
	const processes = await browser.run(() => {
		const headings = Array.from(document.querySelectorAll('#main th'), (cell) => cell.textContent);
		const column = headings.findIndex((text) => text.startsWith('Process') && !text.startsWith('Processor'));
		return Array.from(document.querySelectorAll('#main tbody tr:not(.space)'), (row) => row.children[column]?.textContent);
	});
	expect('processes of threads', [...new Set(processes)].sort().join(), 'process #1,process #2');
	await browser.show('view=timeline');
	expect('threads of the timeline', await browser.run(() => Array.from(document.querySelectorAll('.lane-name:is(button)'), (lane) => lane.textContent)
		.filter((text) => / of process #[12]$/.test(text)).length >= 4), true);
	await browser.show('view=events');
	expect('events have the name of their type', await browser.run(() => Array.from(document.querySelectorAll('#main td'), (cell) => cell.textContent)
		.some((text) => /^\S.* \((begin|span|async-begin)\)$/.test(text))), true);
	await browser.openLog(address('growing.html'), '#view=timeline');
	expect('the heap of the snapshots', await browser.run(() => document.querySelector('.metric-track .lane-name').textContent.startsWith('Heap in snapshots')), true);
	expect('metrics of a log without threads are open', await browser.run(() => document.querySelector('.track-group')?.open ?? true), true);
	await browser.openLog(address('spans.html'), '#view=threads');
	expect('a column for one process', await browser.run(() => Array.from(document.querySelectorAll('#main th'), (cell) => cell.textContent)
		.some((text) => /^Process\b/.test(text))), false);
}

// States of threads, and samples of threads that wait, are told apart from those that run.
async function checkStates(browser) {
	await browser.openLog(address('states.html'), '#view=heat');
	const shown = () => browser.run(() => ({ sum: Number(document.getElementById('heat-sum').dataset.value),
		title: document.querySelector('#main select option:checked').textContent }));
	const running = await shown();
	expect('the first value of the heat map', running.title, 'In the state "running"');
	expect('time in the state "running"', Math.round(running.sum), 2e6);
	await browser.show('view=heat&value=inactive');
	expect('time in other states', Math.round((await shown()).sum), 4e6);
	await browser.show('view=timeline');
	expect('legend of states', await browser.run(() => Array.from(document.querySelectorAll('.legend-entry'), (entry) => entry.textContent.trim()).join()),
		'running,waiting');
	expect('tabs of a log with states', await browser.run(() => document.querySelector('nav a[data-view="spans"]') === null), true);
	await browser.openLog(address('memory.html'), '#view=timeline');
	expect('a log without calls does not wait for them', await browser.run(() => document.getElementById('timeline-note').textContent), '');
}

// The old view is never shown below the new tab, however long the answer takes.
async function checkReaction(browser) {
	await browser.openLog(address('timeline.html'), '#view=methods');
	const seen = await browser.run(() => new Promise((resolve) => {
		addEventListener('hashchange', () => resolve({ tab: document.querySelector('nav a[aria-current]').dataset.view,
			view: document.getElementById('main').dataset.view, rows: document.querySelectorAll('#main tr').length,
			isBusy: document.querySelector('#main [aria-busy]') !== null }), { once: true });
		document.querySelector('nav a[data-view="heat"]').click();
	}));
	expect('the tab after a click', seen.tab, 'heat');
	expect('the view after a click', seen.view, 'heat');
	expect('rows of the view before', seen.rows, 0);
	expect('a sign that it works', seen.isBusy, true);
	await browser.wait('the heat map', () => document.querySelector('#main canvas') !== null);
}

// A row opens all frames of its call stack.
async function checkStacks(browser) {
	const { memory_sites: sites } = JSON.parse(readFileSync('full.json', 'utf8'));
	expect('the report has no native memory here', sites === undefined || sites.length === 0, true);
	await browser.openLog(address('memory.html'), '#view=memory');
	const before = await browser.run(() => document.querySelectorAll('.stack li').length);
	expect('frames before a click', before, 0);
	await browser.run(() => document.querySelector('#main tbody tr.active').click());
	await browser.wait('the call stack', () => document.querySelectorAll('.stack li').length > 0);
	const { heading, frames } = await browser.run(() => ({ heading: document.querySelector('.panel h2').textContent,
		frames: document.querySelectorAll('.stack li').length }));
	expect('frames of the call stack', Number(/(\d+) frame/.exec(heading)[1]), frames);
	await browser.openLog(address('timeline.html'), '#view=monitors');
	const { threads, monitor_holders: holders } = JSON.parse(readFileSync('timeline.json', 'utf8'));
	const name = threads.find(({ id }) => id === holders[0].holder)?.name ?? null;
	expect('the holder has its name', await browser.run((wanted) => document.getElementById('main').textContent.includes(wanted),
		name ?? holders[0].holder), true);
}

// Functions have the names of the source.
async function checkNames(browser) {
	await browser.openLog(address('names.html'), '#view=samples');
	const names = await browser.run(() => Array.from(document.querySelectorAll('#main tbody tr:not(.space) td.name'),
		(cell) => cell.dataset.value ?? cell.textContent));
	expect('names of functions', names.sort().join(', '), '_ZN1<b>1aEv, main, shapes::circle::draw(int)');
	await browser.show('view=flame');
	expect('functions have a color of their own', await browser.run(() => document.querySelector('#main .legend-entry').textContent.trim()), 'native code');
}

// The colors of frames in a picture of "mprof flame --by-line", by their names there without the line: "NAME (inlined) [MODULE]".
function readPicture(path) {
	const picture = readFileSync(path, 'utf8');
	const unescape = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');
	const styles = new Map(Array.from(picture.matchAll(/\.flame \.(\w+)\{fill:(#\w+)\}/g), ([, style, color]) => [style, color]));
	return new Map(Array.from(picture.matchAll(/<g class="(\w+)"[^>]*><title>([^\n]*)\n/g), ([, style, name]) => [unescape(name).replace(/:\d+(?= \(inlined\)| \[|$)/, ''), styles.get(style)]));
}

// A frame has the same color as in a picture of "mprof flame", and the kinds have the same names in both.
async function checkFrameLooks(browser) {
	let compared = 0;
	for (const [log, source] of [['lines', 'samples'], ['names', 'samples'], ['timeline', 'calls'], ['memory', 'memory']]) {
		const wanted = readPicture(`${log}.svg`);
		await browser.openLog(address(`${log}.html`), `#view=flame&source=${source}`);
		const found = await browser.run(async (asked) => {
			const { nodes, name, names, modules } = await client.ask('frames', { selection: {}, source: asked, inverted: false });
			return Array.from(name).slice(1).map((at, i) => {
				const frame = { kind: nodes.kind[i + 1], flags: nodes.flags[i + 1], name: names[at], module: modules[at] };
				const place = frame.module === null ? '' : ` [${frame.module.split('/').at(-1)}]`;
				return [`${frame.name}${(frame.flags & frameFlags.inlined) !== 0 ? ' (inlined)' : ''}`, place, frameColor(lookOf(frame), frame)];
			});
		}, source);
		for (const [name, place, color] of found) {
			const drawn = wanted.get(name) ?? wanted.get(name + place);
			expect(`${log}: the color of ${name}${place}`, color, drawn);
			compared += drawn !== undefined;
		}
		const titles = await browser.run(() => Array.from(document.querySelectorAll('#main .legend-entry'), (entry) => entry.textContent.trim()));
		const picture = readFileSync(`${log}.svg`, 'utf8');
		for (const title of titles)
			expect(`${log}: ${title} in the legend of the picture`, picture.includes(`>${title}<`), true);
	}
	expect('frames in both', compared >= 10, true);
}

// Lines have their figures in the source that is dropped.
async function checkSource(browser) {
	await browser.openLog(address('lines.html'), '#view=overview');
	await browser.type('#file', resolve('demo.txt'));
	await browser.wait('the source', () => document.querySelectorAll('#main .code').length > 0);
	const rows = await browser.run(() => Array.from(document.querySelectorAll('#main .source tbody tr'), (row) =>
		Array.from(row.children, (cell) => cell.textContent)));
	expect('lines of the source', rows.length, 41);
	expect('faults of the source', await browser.run(findFaults), '');
	expect('text of a line', rows[9].at(-1), '10');
	expect('samples of a line', rows[9][0], '6');
	expect('a line without figures', rows[29].slice(0, -2).join(''), '');
	expect('hot lines', await browser.run(() => document.querySelector('#main tr[data-line="10"]').style.background.includes('90%')), true);
}

async function checkKeys(browser) {
	await browser.openLog(address('sample.html'));
	await browser.run(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true })));
	expect('the keys are shown', await browser.run(() => document.getElementById('help').open && document.querySelectorAll('kbd').length > 10), true);
	await browser.run(() => document.querySelector('#help button').click());
	expect('and closed', await browser.run(() => document.getElementById('help').open), false);
}

// A second log is compared with the first one: here, it is the same.
async function checkComparison(browser) {
	for (const [file, isSame] of [['timeline.mprof', true], ['sample.mprof', false]]) {
		await browser.openLog(address('timeline.html'), '#view=methods');
		await browser.type('#file', resolve(file));
		await browser.wait('the question', () => document.querySelector('.choice button') !== null);
		await browser.click('.choice button');
		await browser.wait('the comparison', () => document.getElementById('main').dataset.view === 'compare' &&
			document.querySelector('#main tbody td') !== null);
		const rows = await browser.run(() => {
			const titles = Array.from(document.querySelectorAll('#main th'), (head) => head.textContent);
			return Array.from(document.querySelectorAll('#main tbody tr:not(.space)'), (row) =>
				Object.fromEntries(Array.from(row.children, (cell, i) => [titles[i], cell.dataset.value ?? cell.textContent])));
		});
		expect(`${file}: rows`, rows.length > 1, true);
		expect(`${file}: differences`, rows.every((row) => Number(row['Self difference']) === 0), isSame);
		expect(`${file}: sums`, rows.every((row) =>
			Number(row['Self after']) - Number(row['Self before']) === Number(row['Self difference'])), true);
	}
}

const browser = await Browser.start({ width: 1280 });
try {
	if (directory !== undefined) {
		await checkLooks(browser, directory);
	} else {
		await checkTabs(browser);
		await checkFindings(browser);
		await checkProcesses(browser);
		await checkStates(browser);
		await checkReaction(browser);
		await checkStacks(browser);
		await checkNames(browser);
		await checkFrameLooks(browser);
		await checkSource(browser);
		await checkKeys(browser);
		await checkComparison(browser);
	}
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
} finally {
	await browser.close();
}
expectMany(directory !== undefined ? 200 : 60);
finish();
