// SPDX-License-Identifier: MIT
// Shortens names of methods, functions and classes for boxes and columns: namespaces, arguments, text between angle brackets
// and the class are left out, in this order; the own name is shortened last.

export const ellipsis = '…';
const opening = '<([';
const closing = '>)]';

// The offset after the group that begins at an offset, such as <...>.
function groupEnd(text, offset) {
	let depth = 0;
	for (let at = offset; at < text.length; at++) {
		if (opening.includes(text[at]))
			depth++;
		else if (closing.includes(text[at]) && !(text[at] === '>' && text[at - 1] === '-'))
			depth--;
		if (depth === 0)
			return at + 1;
	}
	return text.length;
}

// Dots of the name itself: before a number, or what compilers add to the names of parts and copies.
const innerDot = /^\.(\d|(constprop|isra|part|lto_priv|llvm|cold)\.\d|cold$)/;

// A place in a module, such as libc.so.6+0x2a.
const modulePlace = /\+0x[0-9a-f]+$/;

function separatorLength(text, offset) {
	if (text.startsWith('::', offset))
		return 2;
	if (text[offset] === '.' && innerDot.test(text.slice(offset, offset + 24)))
		return 0;
	return ['.', '/', ':'].includes(text[offset]) ? 1 : 0;
}

// The characters after "operator", such as "<<" and "()", which open no group; 0 elsewhere.
function operatorLength(text, offset) {
	if (!text.startsWith('operator', offset) || /[\w$]/.test(text[offset - 1] ?? ' '))
		return 0;
	return /^operator(\(\)|\[\]|[<>=!+\-*/%&|^~,]+)/.exec(text.slice(offset, offset + 14))?.[0].length ?? 0;
}

// Where the class without its namespaces, the own name and the arguments of a name begin.
function parseName(text) {
	const parts = { owner: 0, own: 0, arguments: text.length };
	for (let at = modulePlace.test(text) ? text.length : 0; at < text.length;) {
		const skipped = operatorLength(text, at);
		if (skipped > 0) {
			at += skipped;
		} else if (text[at] === '(') {
			const end = groupEnd(text, at);
			// Parentheses at the start, or followed by a separator, are not the arguments.
			if (at > 0 && separatorLength(text, end) === 0) {
				parts.arguments = at;
				break;
			}
			at = end;
		} else if (text[at] === '<' || text[at] === '[') {
			at = groupEnd(text, at);
		} else if (separatorLength(text, at) > 0) {
			at += separatorLength(text, at);
			parts.owner = parts.own;
			parts.own = at;
			// The dots of a constructor's name, such as .ctor, belong to it.
			while (text[at] === '.')
				at++;
		} else {
			at++;
		}
	}
	return parts;
}

function withoutBrackets(text) {
	let result = '';
	for (let at = 0; at < text.length;) {
		const skipped = operatorLength(text, at);
		if (skipped === 0 && text[at] === '<' && at > 0 && separatorLength(text, at - 1) === 0) {
			const end = groupEnd(text, at);
			result += end - at > 3 ? `<${ellipsis}>` : text.slice(at, end);
			at = end;
			continue;
		}
		result += text.slice(at, at + Math.max(1, skipped));
		at += Math.max(1, skipped);
	}
	return result;
}

/** The class of a method, without its namespaces and type arguments. */
export function className(name) {
	return /^[^.<`( ]*/.exec(name.slice(parseName(name).owner))[0];
}

// Characters of a frame, with what separates it from the next one.
const leastFrame = 15;

/** The frames of a call stack, separated by " < ", in about that many characters: each has its share. */
export function shortStack(text, width) {
	if (text.length <= width)
		return text;
	const all = text.split(' < ');
	// In few characters, some frames are of more use than a bit of each.
	const frames = all.length * leastFrame <= width ? all : [...all.slice(0, Math.max(1, Math.floor(width / leastFrame) - 1)), ellipsis];
	const share = Math.max(12, Math.floor(width / frames.length) - 3);
	return frames.map((frame) => shortName(frame, share)).join(' < ');
}

/** A name with at most that many characters. "mprof flame" has the same steps in name_fit(). */
export function shortName(name, width) {
	if (name.length <= width)
		return name;
	// The end of a path or a place is its most specific part.
	if (name[0] === '/' || modulePlace.test(name))
		return width < 4 ? name.slice(name.length - Math.max(1, width)) : ellipsis + name.slice(name.length - width + 1);
	const parts = parseName(name);
	const rest = name.length - parts.arguments > 3 ? `(${ellipsis})` : name.slice(parts.arguments);
	const owned = name.slice(parts.owner, parts.arguments).trimEnd();
	const own = name.slice(parts.own, parts.arguments).trimEnd();
	const bare = withoutBrackets(own);
	const steps = [name.slice(parts.owner), owned + rest, withoutBrackets(owned) + rest, withoutBrackets(owned),
		name.slice(parts.own), bare + rest, bare];
	const fitting = steps.find((step) => step !== '' && step.length <= width);
	// In few characters, an ellipsis would leave too little of the name.
	return fitting ?? (width < 4 ? (bare || name).slice(0, Math.max(1, width)) : `${(bare || name).slice(0, width - 1)}${ellipsis}`);
}
