// SPDX-License-Identifier: MIT
// The page: opens the log that is embedded in it, or a file, and shows the view that the address states.
import { changeAddress, linkTo, readAddress, readSelection } from './address.js';
import { Client, decodePieces } from './client.js';
import { byId, element } from './dom.js';
import { bytesText, countText, timeText } from './figures.js';
import { host } from './host.js';
import { ServedLog } from './served_log.js';
import { overviewView } from './view_overview.js';
import { methodsView } from './view_methods.js';
import { flameView } from './view_flame.js';
import { timelineView } from './view_timeline.js';
import { heatView } from './view_heat.js';
import { heapView } from './view_heap.js';
import { eventsView } from './view_events.js';
import { tableViews } from './view_tables.js';

const views = [overviewView, methodsView, timelineView, flameView, heatView, heapView, ...tableViews, eventsView];

// How often the view is drawn again while the log is read, in milliseconds.
const drawInterval = 700;

let client = null;
let hasLog = false;
let isReading = false;
let drawnAddress = {};
let drawn = null;
let drawing = 0;
let isDrawing = false;
let lastDraw = 0;
let tables = {};
let expectedBytes = 0;
let served = null;
let serverProblem = null;

function showProblem(text) {
	byId('problems').replaceChildren(...(text === null ? [] : [element('p', { class: 'warning' }, text)]));
}

function drawLinks(current) {
	const shown = views.filter(({ table, id }) => table === undefined || tables[table] > 0 || id === current);
	const known = Array.from(byId('views').children, (link) => link.dataset.view).join();
	if (known !== shown.map(({ id }) => id).join())
		byId('views').replaceChildren(...shown.map(({ id, title }) => element('a', { 'data-view': id }, title)));
	for (const link of byId('views').children) {
		link.href = linkTo(link.dataset.view);
		if (link.dataset.view === current)
			link.setAttribute('aria-current', 'page');
		else
			link.removeAttribute('aria-current');
	}
}

function drawSelection({ from, to, threads }) {
	const parts = [];
	if (from !== undefined || to !== undefined)
		parts.push(`from ${timeText(from ?? 0)} to ${to === undefined ? 'the end' : timeText(to)}`);
	if (threads !== undefined)
		parts.push(`threads ${threads.map((id) => `0x${id.toString(16)}`).join(', ')}`);
	byId('selection').hidden = parts.length === 0;
	byId('selection').replaceChildren(`Only ${parts.join(', ')}`,
		element('button', { type: 'button', onclick: () => changeAddress({ from: null, to: null, threads: null }) }, 'Show the whole run'));
}

// What the summary and the warnings need, of the whole log.
async function drawHead() {
	const overview = await client.ask('overview', {});
	const { session, totals, faultCount, bytes, status, threads, gzipFault } = overview;
	tables = overview.rows;
	byId('summary').textContent = [session.dialect_name, timeText(totals.wall_ns), `${countText(threads)} threads`,
		`${countText(totals.events)} events`, bytesText(bytes)].join(', ');
	if (status === 'not-mprof' && overview.finished)
		showProblem('This is not a log of a profiler.');
	else if (totals.lost_events > 0)
		showProblem(`${countText(totals.lost_events)} events were lost: all figures are estimates.`);
	else if (faultCount > 0 || gzipFault !== null || (overview.finished && session.complete === 0 && serverProblem === null))
		showProblem('The log is incomplete or damaged: the figures are those of what could be read. The overview states where.');
	else
		showProblem(serverProblem);
}

async function drawView(number) {
	const address = readAddress();
	const view = views.find(({ id }) => id === address.view) ?? overviewView;
	const container = element('div', { id: 'view', 'data-view': view.id });
	container.className = 'view';
	drawnAddress = address;
	drawn = null;
	const selection = readSelection();
	drawLinks(view.id);
	drawSelection(selection);
	if (byId('search') !== document.activeElement)
		byId('search').value = address.search ?? '';
	const result = await view.draw(container, { client, selection, address, isReading });
	if (number !== drawing)
		return;
	drawn = result ?? null;
	const { scrollTop } = byId('main');
	byId('main').replaceChildren(...container.childNodes);
	byId('main').dataset.view = view.id;
	byId('main').scrollTop = scrollTop;
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
		drawLinks(address.view ?? overviewView.id);
		drawSelection(selection);
		document.body.dataset.state = isReading ? 'reading' : 'ready';
		return;
	}
	if (changed.includes('view'))
		byId('main').scrollTop = 0;
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

function handleRead(read) {
	isReading = !read.finished;
	hasLog = hasLog || read.bytes > 0 || read.finished;
	host?.noteRead(read.fed);
	served?.noteRead(read.fed);
	showProgress(read);
	if (read.finished || (!isDrawing && performance.now() - lastDraw > drawInterval))
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

// The log that the tool embedded: base64 in several elements, which are removed once they were read.
async function openEmbedded(parts) {
	begin(decodeName(parts[0].dataset.name) || 'log', parts.reduce((sum, part) => sum + part.textContent.length * 3 / 4, 0));
	await client.ready;
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
	byId('file').addEventListener('change', () => byId('file').files.length > 0 && openFile(byId('file').files[0]));
	addEventListener('dragover', (event) => {
		event.preventDefault();
		document.body.classList.add('dragging');
	});
	addEventListener('dragleave', () => document.body.classList.remove('dragging'));
	addEventListener('drop', (event) => {
		event.preventDefault();
		document.body.classList.remove('dragging');
		if (event.dataTransfer.files.length > 0)
			openFile(event.dataTransfer.files[0]);
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
		}
	});
	addEventListener('hashchange', followAddress);
}

function showFailure(text) {
	showProblem(`The log cannot be read: ${text}`);
	document.body.dataset.state = 'failed';
}

function start() {
	watchControls();
	client = new Client(handleRead, showFailure);
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
