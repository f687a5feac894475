// SPDX-License-Identifier: MIT
// The page: opens the log that is embedded in it, or a file, and shows the view that the address states.
import { changeAddress, linkTo, readAddress, readSelection } from './address.js';
import { Client, decodePieces, readNames } from './client.js';
import { byId, element } from './dom.js';
import { bytesText, countOf, timeText } from './figures.js';
import { host } from './host.js';
import { ServedLog } from './served_log.js';
import { Comparison } from './view_compare.js';
import { showKeys } from './keys.js';
import { Sources } from './view_lines.js';
import { arrangeGroups, filledViews, viewOf } from './view_list.js';
import { overviewView } from './view_overview.js';

// How often the view is drawn again while the log is read, in milliseconds.
const drawInterval = 700;

// Parts of views that keep their place when the view is drawn again.
const scrollingParts = '.table, .drawing, .timeline';

let client = null;
let hasLog = false;
let isReading = false;
let drawnAddress = {};
let drawn = null;
let drawing = 0;
let isDrawing = false;
let lastDraw = 0;
let drawTimer = 0;
let content = null;
let expectedBytes = 0;
let served = null;
let serverProblem = null;
let comparison = null;
const sources = new Sources();

function showProblem(text) {
	byId('problems').replaceChildren(...(text === null ? [] : [element('p', { class: 'warning' }, text)]));
}

// The groups of views with something to show, and the current one in any case.
function drawLinks(current) {
	const groups = content === null ? [{ title: null, views: [overviewView] }] : arrangeGroups(content, current, comparison);
	const wanted = groups.map(({ title, views }) => `${title}: ${views.map(({ id }) => id)}`).join();
	const navigation = byId('views');
	if (navigation.dataset.known !== wanted) {
		navigation.dataset.known = wanted;
		navigation.replaceChildren(...groups.map(({ title, views }) => element('div', { class: 'group', role: 'group', 'aria-label': title },
			element('span', { class: 'group-title', 'aria-hidden': 'true' }, title ?? ''),
			...views.map(({ id, title: text }) => element('a', { 'data-view': id }, text)))));
	}
	for (const link of navigation.querySelectorAll('a')) {
		link.href = linkTo(link.dataset.view);
		if (link.dataset.view !== current) {
			link.removeAttribute('aria-current');
		} else if (!link.hasAttribute('aria-current')) {
			link.setAttribute('aria-current', 'page');
			link.scrollIntoView({ block: 'nearest', inline: 'center' });
		}
	}
}

function threadText(id) {
	const key = `0x${id.toString(16)}`;
	return content?.threadNames[key] ?? key;
}

function drawSelection({ from, to, threads }) {
	const parts = [];
	if (from !== undefined || to !== undefined)
		parts.push(`from ${timeText(from ?? 0)} to ${to === undefined ? 'the end' : timeText(to)}`);
	if (threads !== undefined)
		parts.push(`${threads.length === 1 ? 'thread' : 'threads'} ${threads.map(threadText).join(', ')}`);
	byId('selection').hidden = parts.length === 0;
	byId('selection').replaceChildren(`Only ${parts.join(', ')}`,
		element('button', { type: 'button', onclick: () => changeAddress({ from: null, to: null, threads: null }) }, 'Show the whole run'));
}

// What the summary and the warnings need, of the whole log.
async function drawHead() {
	const overview = await client.ask('overview', {});
	const { session, totals, faultCount, bytes, status, threads, gzipFault } = overview;
	content = overview;
	byId('summary').textContent = [session.dialect_name, timeText(totals.wall_ns), countOf(threads, 'thread'),
		countOf(totals.events, 'event'), bytesText(bytes)].join(', ');
	if (status === 'not-mprof' && overview.finished)
		showProblem('This is not a log of a profiler.');
	else if (totals.lost_events > 0)
		showProblem(`${countOf(totals.lost_events, 'event was', 'events were')} lost: all figures are estimates.`);
	else if (serverProblem !== null)
		showProblem(serverProblem);
	else if (faultCount > 0 || gzipFault !== null || (overview.finished && session.complete === 0))
		showProblem('The log is incomplete or damaged: the figures are those of what could be read. The overview states where.');
	else
		showProblem(null);
}

// What a click shows at once: never the old view below the new tab.
function showSkeleton(view) {
	byId('main').dataset.view = view.id;
	byId('main').replaceChildren(element('div', { class: 'skeleton', 'aria-busy': 'true' }, element('p', { class: 'faint', id: 'work' }, `${view.title} ...`),
		element('progress', { id: 'working', 'aria-label': `Preparing ${view.title}` })));
}

// The worker reads the log once more for a view.
function showWork({ done, total }) {
	const progress = byId('working');
	if (progress !== null && total > 0) {
		progress.max = total;
		progress.value = Math.min(done, total);
		byId('work').textContent = 'The log is read once more for this view.';
	}
}

async function drawView(number) {
	const address = readAddress();
	const view = viewOf(address.view);
	const container = element('div', { id: 'view', 'data-view': view.id });
	container.className = 'view';
	drawnAddress = address;
	drawn = null;
	const selection = readSelection();
	drawLinks(view.id);
	drawSelection(selection);
	if (byId('search') !== document.activeElement)
		byId('search').value = address.search ?? '';
	const result = await view.draw(container, { client, selection, address, isReading, comparison, sources,
		filled: filledViews(content) });
	if (number !== drawing)
		return;
	drawn = result ?? null;
	const main = byId('main');
	const places = [main, ...main.querySelectorAll(scrollingParts)].map(({ scrollTop }) => scrollTop);
	main.classList.remove('stale');
	main.replaceChildren(...container.childNodes);
	main.dataset.view = view.id;
	[main, ...main.querySelectorAll(scrollingParts)].forEach((part, i) => { part.scrollTop = places[i] ?? 0; });
	document.body.dataset.state = isReading ? 'reading' : 'ready';
}

async function draw() {
	if (!hasLog)
		return;
	lastDraw = performance.now();
	const number = ++drawing;
	isDrawing = true;
	try {
		await drawHead();
		await drawView(number);
	} catch (error) {
		// A part of the log that is read meanwhile replaces the one that was asked.
		if (number === drawing) {
			byId('main').classList.remove('stale');
			showProblem(`This view cannot be shown: ${error.message}`);
			document.body.dataset.state = 'failed';
		}
	}
	isDrawing = isDrawing && number !== drawing;
}

// The address has changed: what only moves within the view is left to it.
function followAddress() {
	const address = readAddress();
	const names = new Set([...Object.keys(address), ...Object.keys(drawnAddress)]);
	const changed = [...names].filter((name) => address[name] !== drawnAddress[name]);
	if (changed.length === 0)
		return;
	const selection = readSelection();
	if (drawn?.apply?.(address, changed, selection)) {
		drawnAddress = address;
		drawLinks(viewOf(address.view).id);
		drawSelection(selection);
		document.body.dataset.state = isReading ? 'reading' : 'ready';
		return;
	}
	const view = viewOf(address.view);
	if (changed.includes('view') && view.id !== byId('main').dataset.view)
		showSkeleton(view);
	else
		byId('main').classList.add('stale');
	drawLinks(view.id);
	draw();
}

function showProgress({ fed, finished }) {
	byId('reading').hidden = finished;
	const progress = byId('progress');
	const isLive = served?.isLive ?? false;
	progress.hidden = isLive;
	byId('live').hidden = !isLive;
	if (expectedBytes > 0) {
		progress.max = expectedBytes;
		progress.value = Math.min(fed, expectedBytes);
	}
	byId('reached').textContent = bytesText(fed);
}

// What has been read since the view was drawn is shown after a while, also if no more arrives.
function drawSoon() {
	if (drawTimer !== 0)
		return;
	drawTimer = setTimeout(() => {
		drawTimer = 0;
		if (isDrawing)
			drawSoon();
		else
			draw();
	}, Math.max(0, lastDraw + drawInterval - performance.now()));
}

function handleRead(read) {
	isReading = !read.finished;
	hasLog = hasLog || read.bytes > 0 || read.finished;
	host?.noteRead(read.fed);
	served?.noteRead(read.fed);
	showProgress(read);
	if (!read.finished) {
		drawSoon();
		return;
	}
	clearTimeout(drawTimer);
	drawTimer = 0;
	draw();
}

function begin(name, size) {
	document.title = name;
	byId('title').textContent = name;
	document.body.dataset.state = 'reading';
	hasLog = false;
	isReading = true;
	client.logNumber++;
	expectedBytes = size;
	comparison?.close();
	comparison = null;
	sources.clear();
	content = null;
	served?.stop();
	served = null;
	serverProblem = null;
	showProblem(null);
	byId('main').replaceChildren(element('p', {}, 'Reading the log.'));
	showProgress({ fed: 0, finished: false });
}

async function openFile(file) {
	begin(file.name, file.size);
	await client.ready;
	client.send({ file });
}

// A text that the tool stored in an element as base64.
function decodeName(text) {
	return new TextDecoder().decode(decodePieces(text ?? '').next().value ?? new Uint8Array());
}

// A source file of the log is shown with its figures; a second log can be compared with the first one.
async function chooseFile(file) {
	if (!hasLog) {
		openFile(file);
		return;
	}
	if (await sources.take(file, client)) {
		changeAddress({ view: 'lines', file: file.name });
		draw();
		return;
	}
	const close = () => byId('choice').replaceChildren();
	const button = (title, action) => element('button', { type: 'button', onclick: () => {
		close();
		action();
	} }, title);
	byId('choice').replaceChildren(element('div', { class: 'choice', role: 'alert' }, `${file.name}: `,
		button(`Compare ${document.title} with it`, () => compareWith(file)), button('Open it instead', () => openFile(file)), button('Cancel', () => {})));
	byId('choice').querySelector('button').focus();
}

async function compareWith(file) {
	comparison?.close();
	comparison = new Comparison(document.title, file.name);
	showProblem(null);
	try {
		await comparison.read(file);
		changeAddress({ view: 'compare', search: null });
		draw();
	} catch (error) {
		comparison = null;
		showProblem(`${file.name} cannot be compared: ${error.message}`);
	}
}

// The log that the tool embedded: base64 in several elements, which are removed once they were read.
async function openEmbedded(parts) {
	begin(decodeName(parts[0].dataset.name) || 'log', parts.reduce((sum, part) => sum + part.textContent.length * 3 / 4, 0));
	await client.ready;
	client.send({ names: await readNames(Array.from(document.querySelectorAll('script.names'))) });
	client.send({ begin: true });
	for (const part of parts) {
		for (const bytes of decodePieces(part.textContent.trim())) {
			client.send({ bytes }, [bytes.buffer]);
			// The page reacts between pieces.
			await new Promise((resolve) => setTimeout(resolve, 0));
		}
		part.remove();
	}
	client.send({ finish: true });
}

// The log that the server of the page has, which may grow.
async function openServed(name) {
	begin(name || 'log', 0);
	await client.ready;
	const opened = new ServedLog({ send: (message, transfer) => client.send(message, transfer), end: (problem) => {
		if (problem !== null && served === opened)
			serverProblem = `No more of the log can be fetched: ${problem}. What has arrived is shown.`;
	} });
	served = opened;
	await served.fetchAll();
}

function showInvitation() {
	byId('main').replaceChildren(element('div', { class: 'drop' }, element('h2', {}, 'Drop a log here, or open one.'),
		element('p', { class: 'faint' }, 'The log stays on this machine: this page cannot connect to any other.')));
	document.body.dataset.state = 'empty';
}

function useTheme(theme) {
	document.documentElement.dataset.theme = theme;
	dispatchEvent(new Event('themechange'));
}

// Files that are chosen or dropped.
function watchFiles() {
	byId('file').addEventListener('change', () => byId('file').files.length > 0 && chooseFile(byId('file').files[0]));
	addEventListener('dragover', (event) => {
		event.preventDefault();
		document.body.classList.add('dragging');
	});
	addEventListener('dragleave', () => document.body.classList.remove('dragging'));
	addEventListener('drop', (event) => {
		event.preventDefault();
		document.body.classList.remove('dragging');
		if (event.dataTransfer.files.length > 0)
			chooseFile(event.dataTransfer.files[0]);
	});
}

// An editor decides which log the page shows.
async function openHosted() {
	byId('file').closest('label').remove();
	await client.ready;
	host.open({ begin, send: (message, transfer) => client.send(message, transfer), fail: showFailure });
}

function watchControls() {
	const darkness = matchMedia('(prefers-color-scheme: dark)');
	const followSystem = () => useTheme(darkness.matches ? 'dark' : 'light');
	if (host !== null) {
		host.followTheme(useTheme);
	} else {
		followSystem();
		darkness.addEventListener('change', followSystem);
		watchFiles();
	}
	byId('theme').addEventListener('click', () =>
		useTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
	let typing = 0;
	byId('search').addEventListener('input', () => {
		clearTimeout(typing);
		typing = setTimeout(() => changeAddress({ search: byId('search').value }, true), 250);
	});
	addEventListener('keydown', (event) => {
		if (event.key === '/' && !event.target.closest('input, select')) {
			event.preventDefault();
			byId('search').focus();
		} else if (event.key === '?' && !event.target.closest('input, select')) {
			event.preventDefault();
			showKeys();
		}
	});
	byId('keys').addEventListener('click', showKeys);
	addEventListener('hashchange', followAddress);
}

function showFailure(text) {
	showProblem(`The log cannot be read: ${text}`);
	document.body.dataset.state = 'failed';
}

function start() {
	watchControls();
	client = new Client(handleRead, showFailure, showWork);
	const parts = Array.from(document.querySelectorAll('script.log'));
	const onServer = document.querySelector('script.served');
	if (host !== null)
		openHosted();
	else if (parts.length > 0)
		openEmbedded(parts);
	else if (onServer !== null)
		openServed(decodeName(onServer.dataset.name));
	else
		showInvitation();
}

start();
