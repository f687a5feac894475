// SPDX-License-Identifier: MIT
// Asks what the page asks, of logs of which only a part has arrived: parts.mjs MPROF_JS WASM QUESTIONS LOG ... What has
// arrived is answered, and once all has arrived, the answers are those of a log that was opened at once.
import { readFileSync } from 'node:fs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , modulePath, wasmPath, questionsPath, ...logs] = process.argv;
const { loadMprof } = await import(modulePath);
const { Questions, profileOptions } = await import(questionsPath);
const mprof = await loadMprof(readFileSync(wasmPath));

function toText(value) {
	return JSON.stringify(value, (key, part) => (typeof part === 'bigint' ? String(part) : part));
}

async function askAll(questions, shots) {
	const answers = { events: await questions.answer('events', { selection: {}, block: 1 }),
		calls: await questions.answer('calls', { from: 0, to: 1e18 }) };
	delete answers.calls.transfer;
	for (let shot = 1; shot <= shots; shot++) {
		answers[`heap ${shot}`] = await questions.answer('heap', { shot });
		answers[`tree ${shot}`] = answers[`heap ${shot}`].isKnown ? await questions.answer('heapTree', { shot }) : null;
	}
	return answers;
}

async function open(pieces, check) {
	const log = mprof.createLog();
	const profile = log.profile(profileOptions);
	const questions = new Questions(mprof, log, profile);
	for (const piece of pieces) {
		await log.feed(piece);
		await profile.readAll();
		await check(questions, profile);
	}
	await log.finish();
	await profile.readAll();
	return { log, answers: await askAll(questions, profile.table('heap_shots').length) };
}

let found = 0;
for (const path of logs) {
	const bytes = readFileSync(path);
	const size = Math.ceil(bytes.length / 6);
	const pieces = Array.from({ length: 6 }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
	let blocks = 0;
	const parts = await open(pieces, async (questions, profile) => {
		const answers = await askAll(questions, profile.table('heap_shots').length);
		expect(`${path}: a part is not the whole`, answers.events.isWhole || answers.calls.isWhole, false);
		expect(`${path}: blocks do not become fewer`, answers.events.blocks >= blocks, true);
		blocks = answers.events.blocks;
		found += blocks + Object.keys(answers).filter((name) => name.startsWith('heap')).length;
	});
	const whole = await open([bytes], () => {});
	for (const [name, answer] of Object.entries(whole.answers)) {
		expect(`${path}: ${name}`, toText(parts.answers[name]), toText(answer));
		expect(`${path}: ${name} is of the whole`, answer === null || answer.isWhole, true);
	}
	parts.log.close();
	whole.log.close();
}
expect('something is found before the end', found > 5, true);
expectMany(30);
finish();
