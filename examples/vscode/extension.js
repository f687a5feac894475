// SPDX-License-Identifier: MIT
// Shows logs in Visual Studio Code with the page of "mprof explore". It also runs where Code itself runs in a browser.
'use strict';

const vscode = require('vscode');

const viewType = 'mprof.explore';

// Bytes of a log that are sent to the page at once.
const pieceSize = 1 << 20;

class LogDocument {
	/** @param {vscode.Uri} uri */
	constructor(uri) {
		this.uri = uri;
	}

	dispose() {}
}

/**
 * A log that is read piece by piece.
 * @typedef {{ size: number, read: () => Promise<Uint8Array>, close: () => Promise<void> }} LogSource
 */

/**
 * A file of this machine.
 * @param {string} path
 * @returns {Promise<LogSource>}
 */
async function openFile(path) {
	const { open } = require('node:fs/promises');
	const file = await open(path);
	const { size } = await file.stat();
	return {
		size,
		read: async () => {
			const { buffer, bytesRead } = await file.read(new Uint8Array(pieceSize), 0, pieceSize);
			return buffer.subarray(0, bytesRead);
		},
		close: () => file.close(),
	};
}

/**
 * A file of another machine, or one that only Code can read: it has no function that reads a part.
 * @param {vscode.Uri} uri
 * @returns {Promise<LogSource>}
 */
async function openResource(uri) {
	let bytes = await vscode.workspace.fs.readFile(uri);
	const size = bytes.length;
	return {
		size,
		read: async () => {
			const piece = bytes.subarray(0, pieceSize);
			bytes = bytes.subarray(piece.length);
			return piece;
		},
		close: async () => {},
	};
}

/** @param {vscode.Uri} uri */
function baseName(uri) {
	return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

/** Sends a log to a page, which asks for each piece. */
class LogSender {
	#uri;
	#webview;
	/** @type {LogSource | null} */
	#source = null;
	#isClosed = false;

	/**
	 * @param {vscode.Uri} uri
	 * @param {vscode.Webview} webview
	 */
	constructor(uri, webview) {
		this.#uri = uri;
		this.#webview = webview;
	}

	async begin() {
		await this.close();
		this.#isClosed = false;
		const isLocal = this.#uri.scheme === 'file' && globalThis.process?.versions?.node !== undefined;
		const source = await (isLocal ? openFile(this.#uri.fsPath) : openResource(this.#uri));
		if (this.#isClosed) {
			await source.close();
			return;
		}
		this.#source = source;
		await this.#webview.postMessage({ begin: { name: baseName(this.#uri), size: source.size } });
	}

	async sendPiece() {
		if (this.#source === null)
			return;
		const piece = await this.#source.read();
		if (piece.length === 0) {
			await this.close();
			await this.#webview.postMessage({ finish: true });
			return;
		}
		// Code copies the whole buffer of an array.
		const isWhole = piece.byteOffset === 0 && piece.length === piece.buffer.byteLength;
		await this.#webview.postMessage({ bytes: isWhole ? piece.buffer : piece.slice().buffer });
	}

	async close() {
		const source = this.#source;
		this.#source = null;
		this.#isClosed = true;
		await source?.close();
	}
}

/**
 * Saves what the page shows where the user chooses. The name contains that of the log, but no directory.
 * @param {vscode.Uri} uri of the log
 * @param {{ name: unknown, text: unknown }} file
 */
async function saveText(uri, { name, text }) {
	const proposed = vscode.Uri.joinPath(uri, '..', String(name).replace(/[/\\:]/g, '_'));
	const chosen = await vscode.window.showSaveDialog({ defaultUri: proposed });
	if (chosen !== undefined)
		await vscode.workspace.fs.writeFile(chosen, new TextEncoder().encode(String(text)));
}

/** @implements {vscode.CustomReadonlyEditorProvider<LogDocument>} */
class LogEditor {
	#extensionUri;
	/** @type {Promise<string> | null} */
	#page = null;

	/** @param {vscode.Uri} extensionUri */
	constructor(extensionUri) {
		this.#extensionUri = extensionUri;
	}

	/** @param {vscode.Uri} uri */
	openCustomDocument(uri) {
		return new LogDocument(uri);
	}

	async #readPage() {
		const uri = vscode.Uri.joinPath(this.#extensionUri, 'explore.html');
		const bytes = await vscode.workspace.fs.readFile(uri);
		return new TextDecoder().decode(bytes);
	}

	/**
	 * The page with a policy for this editor: its scripts are those with a number that is used once, and nothing is
	 * loaded from anywhere.
	 */
	async #makePage() {
		this.#page ??= this.#readPage();
		const random = crypto.getRandomValues(new Uint8Array(16));
		const nonce = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
		const policy = `default-src 'none'; script-src 'nonce-${nonce}' 'wasm-unsafe-eval'; ` +
			`style-src 'nonce-${nonce}'; worker-src blob:; base-uri 'none'; form-action 'none'`;
		const page = (await this.#page)
			.replace(/(<meta http-equiv="Content-Security-Policy" content=")[^"]*/, `$1${policy}`)
			.replace('<style>', `<style nonce="${nonce}">`);
		const script = page.lastIndexOf('<script>');
		return `${page.slice(0, script)}<script nonce="${nonce}">${page.slice(script + '<script>'.length)}`;
	}

	/**
	 * @param {LogDocument} document
	 * @param {vscode.WebviewPanel} panel
	 */
	async resolveCustomEditor(document, panel) {
		const { webview } = panel;
		const sender = new LogSender(document.uri, webview);
		/** @param {unknown} error */
		const fail = async (error) => {
			await sender.close();
			await webview.postMessage({ failed: error instanceof Error ? error.message : String(error) });
		};
		// Messages are handled in their order.
		let work = Promise.resolve();
		webview.onDidReceiveMessage((message) => {
			if (message.ready !== undefined)
				work = work.then(() => sender.begin()).catch(fail);
			else if (message.more !== undefined)
				work = work.then(() => sender.sendPiece()).catch(fail);
			else if (message.save !== undefined)
				saveText(document.uri, message.save).then(undefined, ({ message: reason }) =>
					vscode.window.showErrorMessage(`mprof cannot save the file: ${reason}`));
		});
		panel.onDidDispose(() => sender.close());
		webview.options = { enableScripts: true, localResourceRoots: [] };
		webview.html = await this.#makePage();
	}
}

/** @param {vscode.ExtensionContext} context */
function activate(context) {
	// A hidden editor keeps its page, since reading a large log again takes seconds.
	const options = { supportsMultipleEditorsPerDocument: true, webviewOptions: { retainContextWhenHidden: true } };
	const editor = new LogEditor(context.extensionUri);
	context.subscriptions.push(vscode.window.registerCustomEditorProvider(viewType, editor, options));
}

module.exports = { activate };
