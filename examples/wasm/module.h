/* SPDX-License-Identifier: MIT */
/**
 * \file module.h
 * \brief What the files of the WebAssembly module share: a view of a log, the functions that JavaScript exports to the
 * module, and the macro of those that the module exports.
 *
 * The scripts of this directory are the only callers. They pass pointers that they got from the module, and no function
 * is called while another one runs, except those that module.js calls from wasm_fault() and wasm_name().
 */
#ifndef WASM_MODULE_H
#define WASM_MODULE_H

#include <mprof/heap.h>
#include <mprof/profile.h>

/** Declares an exported function. */
#define WASM_EXPORT(name) __attribute__((export_name(#name))) name

/** Declares a function of module.js. */
#define WASM_IMPORT(name) __attribute__((import_module("mprof"), import_name(#name)))

/**
 * A reader, and what is made from its blocks. A view has either a profile, or a heap graph, or a frame tree without a
 * reader of its own, or none of them.
 */
typedef struct log_view {
	uint32_t source;              /**< Number of the log in module.js. */
	uint64_t position;            /**< Offset of the next byte to read from the source. */
	mprof_reader *reader;         /**< NULL: a frame tree. */
	mprof_profile *profile;       /**< Or NULL. */
	mprof_finding_list *findings; /**< Of the profile; NULL before they were asked for. */
	mprof_heap_graph *graph;      /**< Or NULL. */
	mprof_frame_tree *tree;       /**< Or NULL. */
	const mprof_error *fault;     /**< During wasm_fault(), the fault; else NULL. */
	mprof_block block;            /**< The block that the reader is at. */
	int is_growing;               /**< The log may not be complete. */
	int is_again;      /**< The profile is read a second time, with the names of code that was defined late. */
	uint64_t *threads; /**< Those of profile_options. */
	mprof_profile_options profile_options;
} log_view;

/** Copies up to \p length bytes at \p position of a source to \p bytes. Returns their number, or -1 if it failed. */
WASM_IMPORT(read) int32_t wasm_read(uint32_t source, double position, void *bytes, size_t length);

/** Reports that bytes were read. Returns 1 to interrupt reading, else 0. */
WASM_IMPORT(progress) int32_t wasm_progress(log_view *view, double done_bytes);

/** Reports log_view::fault. */
WASM_IMPORT(fault) void wasm_fault(log_view *view);

/** Writes the name of a frame or a class for a sentence, with a NUL. \p kind: an #mprof_sample_kind. */
WASM_IMPORT(name) void wasm_name(log_view *view, uint32_t kind, uint32_t id, char *text, size_t size);

/** Chooses what to do with a frame: bits of #mprof_frame_choice. */
WASM_IMPORT(choose) uint32_t wasm_choose(uint32_t kind, uint32_t id);

#endif
