// SPDX-License-Identifier: MIT
// A file system of the test's server, for Code in a browser, which has none: logs:/NAME is /logs/NAME of the server.
// Files that are written are sent to it.
'use strict';

const vscode = require('vscode');

class LogFiles {
	#changed = new vscode.EventEmitter();
	onDidChangeFile = this.#changed.event;
	#server;

	constructor(server) {
		this.#server = server;
	}

	watch() {
		return new vscode.Disposable(() => {});
	}

	async #fetch(uri, options) {
		const response = await fetch(`${this.#server}/logs${uri.path}`, options);
		if (!response.ok)
			throw vscode.FileSystemError.FileNotFound(uri);
		return response;
	}

	async stat(uri) {
		if (uri.path === '/')
			return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
		const response = await this.#fetch(uri, { method: 'HEAD' });
		return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: Number(response.headers.get('content-length')) };
	}

	async readFile(uri) {
		return new Uint8Array(await (await this.#fetch(uri)).arrayBuffer());
	}

	async writeFile(uri, body) {
		await this.#fetch(uri, { method: 'PUT', body });
	}

	readDirectory() {
		return [];
	}

	createDirectory() {}
	delete() {}
	rename() {}
}

function activate(context) {
	const { scheme, authority } = context.extensionUri;
	context.subscriptions.push(vscode.workspace.registerFileSystemProvider('logs',
		new LogFiles(`${scheme}://${authority}`), { isCaseSensitive: true }));
}

module.exports = { activate };
