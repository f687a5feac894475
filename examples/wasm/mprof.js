// SPDX-License-Identifier: MIT
// Reads mprof logs with libmprof.wasm: profiles, events and heap graphs as typed arrays. doc/javascript.md describes
// it, mprof.d.ts declares the types. Runs in browsers, in workers and in Node.

export { EventCursor } from './events.js';
export { HeapGraph, noObject } from './heap_graph.js';
export { Log } from './log.js';
export { loadMprof, Mprof } from './module.js';
export { frameKinds } from './names.js';
export { FrameTree, Profile } from './profile.js';
export { MprofError } from './statuses.js';
