// SPDX-License-Identifier: MIT
// The worker of the page: it receives a log, reads it, and answers the questions of the views. The page sends {module},
// {names}, {begin}, {bytes}, {finish}, {file}, which are handled in order, and {question}, which is answered at any time.
import { loadMprof } from '../wasm/mprof.js';
import { NativeLines } from './native_lines.js';
import { Questions, profileOptions } from './questions.js';

let mprof = null;
let log = null;
let profile = null;
let questions = null;
// Of the log that is embedded in the page.
let lines = new NativeLines();
let work = Promise.resolve();

function begin() {
	log?.close();
	log = mprof.createLog();
	profile = log.profile(profileOptions);
	questions = new Questions(mprof, log, profile, (done, total) => postMessage({ work: { done, total } }));
	questions.useLines(lines);
}

// Reads what has arrived. Questions are answered between its steps.
async function readAvailable() {
	await profile.readAll();
	postMessage({ read: { bytes: log.byteLength, fed: log.fedBytes, finished: log.finished, status: profile.status } });
}

async function feed(bytes) {
	await log.feed(bytes);
	await readAvailable();
}

async function finish() {
	await log.finish();
	await readAvailable();
}

// Names to show instead of symbols, and lines of native code.
function useNames(rows) {
	mprof.useReadableNames(rows.filter(({ length }) => length === 2));
	lines = new NativeLines(rows.filter(({ length }) => length > 2));
	questions?.useLines(lines);
}

async function readFile(file) {
	lines = new NativeLines();
	const reader = file.stream().getReader();
	begin();
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			break;
		await feed(value);
	}
	await finish();
}

async function handle(message) {
	if (message.module !== undefined)
		mprof = await loadMprof(await new Response(message.module).arrayBuffer());
	else if (message.names !== undefined)
		useNames(message.names);
	else if (message.begin !== undefined)
		begin();
	else if (message.bytes !== undefined)
		await feed(message.bytes);
	else if (message.finish !== undefined)
		await finish();
	else if (message.file !== undefined)
		await readFile(message.file);
}

async function answer({ number, question, parameters }) {
	try {
		const result = await questions.answer(question, parameters);
		// Buffers that are not copied.
		const transfer = result.transfer ?? [];
		delete result.transfer;
		postMessage({ number, result }, transfer);
	} catch (error) {
		postMessage({ number, error: String(error?.message ?? error) });
	}
}

onmessage = ({ data }) => {
	if (data.question !== undefined) {
		answer(data);
		return;
	}
	work = work.then(() => handle(data)).catch((error) => postMessage({ failed: String(error?.message ?? error) }));
};
