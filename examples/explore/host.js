// SPDX-License-Identifier: MIT
// An editor that shows the page, such as Visual Studio Code: it sends the log and saves files. The page sends {ready},
// {more} for each piece of the log, and {save}. The editor sends {begin}, {bytes}, {finish}, and {failed} with a text.

// Bytes that the worker has not read yet while more are asked for.
const mostUnread = 4 << 20;

class Host {
	#editor;
	#page = null;
	#received = 0;
	#isComplete = false;
	#isWaiting = false; // A piece was asked for.

	constructor(editor) {
		this.#editor = editor;
		const { fragment } = editor.getState() ?? {};
		if (fragment)
			location.replace(fragment);
		addEventListener('hashchange', () => editor.setState({ fragment: location.hash }));
		// Editors take links for those to documents, so the page follows its own.
		addEventListener('click', (event) => {
			const fragment = event.target.closest?.('a[href^="#"]')?.getAttribute('href');
			if (!fragment?.includes('='))
				return;
			event.preventDefault();
			location.hash = fragment;
		}, true);
	}

	/** Calls useTheme with "dark" or "light", now and when the editor's theme changes. */
	followTheme(useTheme) {
		let theme = null;
		const follow = () => {
			const isDark = /\bvscode-(dark|high-contrast)(?!-light)\b/.test(document.body.className);
			const current = isDark ? 'dark' : 'light';
			if (current !== theme)
				useTheme(current);
			theme = current;
		};
		new MutationObserver(follow).observe(document.body, { attributeFilter: ['class'] });
		follow();
	}

	/** Opens the log that the editor sends; page has begin(name, size), send(message, transfer) and fail(text). */
	open(page) {
		this.#page = page;
		addEventListener('message', ({ data }) => this.#handle(data));
		this.#editor.postMessage({ ready: true });
	}

	#handle(message) {
		if (message.begin !== undefined) {
			this.#received = 0;
			this.#isComplete = false;
			this.#page.begin(message.begin.name, message.begin.size);
			this.#page.send({ begin: true }, []);
			this.#ask();
		} else if (message.bytes !== undefined) {
			const bytes = new Uint8Array(message.bytes);
			this.#received += bytes.length;
			this.#isWaiting = false;
			this.#page.send({ bytes }, [bytes.buffer]);
		} else if (message.finish !== undefined) {
			this.#isComplete = true;
			this.#page.send({ finish: true }, []);
		} else if (message.failed !== undefined) {
			this.#page.fail(message.failed);
		}
	}

	#ask() {
		this.#isWaiting = true;
		this.#editor.postMessage({ more: true });
	}

	/** Called when the worker has read the log up to some bytes. */
	noteRead(bytes) {
		if (!this.#isComplete && !this.#isWaiting && this.#received - bytes < mostUnread)
			this.#ask();
	}

	save(name, text) {
		this.#editor.postMessage({ save: { name, text } });
	}
}

/** The editor that shows the page, null in a browser. */
export const host = typeof acquireVsCodeApi === 'function' ? new Host(acquireVsCodeApi()) : null;
