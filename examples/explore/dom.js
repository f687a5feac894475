// SPDX-License-Identifier: MIT
// Makes elements. Texts of a log become text nodes: nothing here interprets markup.
import { host } from './host.js';

/** An element with attributes; those that begin with "on" are handlers of events. Children are elements or texts. */
export function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith('on'))
			made.addEventListener(name.slice(2), value);
		else
			made.setAttribute(name, value === true ? '' : String(value));
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

export function byId(id) {
	return document.getElementById(id);
}

/** Announces a text to those who use a screen reader. */
export function announce(text) {
	byId('announcement').textContent = text;
}

/** Offers a text as a file to save. */
export function saveFile(name, type, text) {
	if (host !== null) {
		host.save(name, text);
		return;
	}
	const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The name of a file to save: that of the log without its extension, and what the file has. */
export function fileName(what) {
	return `${document.title.replace(/(\.mprof)?(\.gz)?$/, '').replace(/[^\p{L}\p{N}._-]+/gu, '_')}-${what}`;
}

/** A text as content of an element or an attribute of XML. */
export function escapeMarkup(text) {
	// Characters that XML does not allow become the replacement character.
	return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
		.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
