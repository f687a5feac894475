// SPDX-License-Identifier: MIT
// The page's end of the worker: starts it with the module that is embedded in the page, and asks it questions.
import { byId } from './dom.js';

// Characters of base64 that are decoded at once; a multiple of 4.
const charactersAtOnce = 1 << 20;

/** The bytes of a base64 text, in pieces. */
export function* decodePieces(text) {
	for (let at = 0; at < text.length; at += charactersAtOnce) {
		const binary = atob(text.slice(at, at + charactersAtOnce));
		const bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			bytes[i] = binary.charCodeAt(i);
		yield bytes;
	}
}

// The decompressed content of elements, which follow each other.
function inflate(...parts) {
	const pieces = parts.flatMap((part) => Array.from(decodePieces(part.textContent.trim())));
	const stream = new Blob(pieces).stream();
	const isCompressed = pieces[0]?.[0] === 0x1f && pieces[0][1] === 0x8b;
	return new Response(isCompressed ? stream.pipeThrough(new DecompressionStream('gzip')) : stream);
}

/** Pairs of symbols and their names in the source, from the elements that the tool wrote. */
export async function readNames(parts) {
	return pairNames(await inflate(...parts).text());
}

/** The same from lines with a symbol, a tab and its name. */
export function pairNames(text) {
	return text.split('\n').filter((line) => line !== '').map((line) => line.split('\t'));
}

/** Answers come once ready is settled. */
export class Client {
	#worker;
	#waiting = new Map();
	#last = 0;
	/** Counts the logs that were opened. */
	logNumber = 0;

	/**
	 * onRead is called when more of the log was read, onFailure if it cannot be, onWork with {done, total} while a question
	 * takes long.
	 */
	constructor(onRead, onFailure, onWork = () => {}) {
		this.ready = this.#start(onRead, onFailure, onWork);
	}

	async #start(onRead, onFailure, onWork) {
		const [script, module] = await Promise.all([inflate(byId('worker')).text(), inflate(byId('module')).arrayBuffer()]);
		this.#worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
		this.#worker.onerror = (event) => onFailure(event.message || 'the worker cannot be started');
		this.#worker.onmessage = ({ data }) => {
			if (data.read !== undefined)
				onRead(data.read);
			else if (data.failed !== undefined)
				onFailure(data.failed);
			else if (data.work !== undefined)
				onWork(data.work);
			else
				this.#settle(data);
		};
		this.#worker.postMessage({ module });
	}

	#settle({ number, result, error }) {
		const { resolve, reject } = this.#waiting.get(number);
		this.#waiting.delete(number);
		if (error !== undefined)
			reject(new Error(error));
		else
			resolve(result);
	}

	/** Ends the worker. */
	close() {
		this.#worker.terminate();
	}

	send(message, transfer = []) {
		this.#worker.postMessage(message, transfer);
	}

	ask(question, parameters = {}) {
		const number = ++this.#last;
		return new Promise((resolve, reject) => {
			this.#waiting.set(number, { resolve, reject });
			this.#worker.postMessage({ number, question, parameters });
		});
	}
}
