/* SPDX-License-Identifier: MIT */
/* Chooses the colors of a flame graph. */
#include "flame/colors.h"

#include <stdio.h>
#include <string.h>

const char flame_style_sheet[] =
	".flame{--back:#fff;--ink:#222;--faint:#666;font:11px 'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
	"@media (prefers-color-scheme:dark){.flame{--back:#1b1d21;--ink:#e8e8e8;--faint:#a0a0a0}}\n"
	".flame .back{fill:#fff;fill:var(--back)}\n"
	".flame text{fill:#222;fill:var(--ink);unicode-bidi:isolate}\n"
	".flame .title{font-size:16px;font-family:sans-serif;text-anchor:middle}\n"
	".flame .note,.flame .key{font-family:sans-serif;fill:#666;fill:var(--faint)}\n"
	".flame .lost{font-family:sans-serif;font-weight:bold}\n"
	".flame .button{font-family:sans-serif;cursor:pointer;text-decoration:underline}\n"
	".flame .button.off{visibility:hidden}\n"
	".flame .graph text{fill:#111;pointer-events:none}\n"
	".flame .graph rect{stroke:#fff;stroke:var(--back);stroke-width:.3;cursor:pointer}\n"
	".flame .graph g:hover rect{stroke:#000;stroke-width:1}\n"
	".flame .small{fill:#c4c4c4}\n"
	".flame .graph .parent{opacity:.6}\n"
	".flame .graph .found rect{fill:#e040fb}\n"
	".flame .graph .current rect{stroke:#000;stroke-width:2}\n"
	".flame .m0{fill:#f7b267}.flame .m1{fill:#f79d65}.flame .m2{fill:#ffca7a}.flame .m3{fill:#f4a78a}\n"
	".flame .m4{fill:#ffd8a8}.flame .m5{fill:#efb36f}\n"
	".flame .n0{fill:#c3b1e1}.flame .n1{fill:#b3a5dc}.flame .n2{fill:#d6c9ee}\n"
	".flame .r{fill:#9ccc9c}.flame .w{fill:#9fb8cc}.flame .c{fill:#8fd0c8}.flame .h{fill:#d3c4b4}\n"
	".flame .o{fill:#c9ced2}\n"
	".flame .l4{fill:#2166ac}.flame .l3{fill:#5fa0cf}.flame .l2{fill:#9ccae4}.flame .l1{fill:#d1e5f0}\n"
	".flame .z{fill:#ededed}.flame .g1{fill:#fee0b6}.flame .g2{fill:#fdb863}.flame .g3{fill:#e8902a}\n"
	".flame .g4{fill:#b35806}\n"
	".flame .graph .l4 text,.flame .graph .g4 text{fill:#fff}\n";

static const char *const hue_names[FLAME_HUES] = {
	"managed", "native", "runtime", "waiting", "class", "field", "root", "other",
};

static int begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Methods and native functions in which a thread waits. */
static int is_waiting(const stack_frame *frame)
{
	static const char *const methods[] = {
		"System.Threading.Monitor.Enter",
		"System.Threading.Monitor.TryEnter",
		"System.Threading.Monitor.Wait",
		"System.Threading.Monitor.ObjWait",
		"System.Threading.Monitor.Monitor_wait",
		"System.Threading.Monitor.Monitor_try_enter",
		"System.Threading.Monitor.try_enter_with_atomic_var",
		"System.Threading.WaitHandle.Wait",
		"System.Threading.WaitHandle.InternalWaitOne",
		"System.Threading.Thread.Sleep",
		"System.Threading.Thread.SleepInternal",
		"System.Threading.Thread.Join",
		"System.Threading.Thread.JoinInternal",
	};
	static const char *const functions[] = {
		"pthread_cond_wait",
		"pthread_cond_timedwait",
		"pthread_cond_clockwait",
		"pthread_join",
		"nanosleep",
		"clock_nanosleep",
		"poll",
		"ppoll",
		"select",
		"epoll_wait",
		"futex_wait",
		"sem_wait",
		"sem_timedwait",
		"usleep",
		"sleep",
	};

	if (frame->kind == STACK_FRAME_METHOD) {
		for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
			if (begins_with(frame->name, methods[i]))
				return 1;
		}
		return 0;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		size_t length = strlen(functions[i]);
		const char *name = frame->name + strspn(frame->name, "_");

		/* Symbols may have a version: pthread_cond_wait@@GLIBC_2.3.2. */
		if (strncmp(name, functions[i], length) == 0 && (name[length] == '\0' || name[length] == '@'))
			return 1;
	}
	return 0;
}

flame_hue flame_hue_of(const stack_frame *frame)
{
	switch (frame->kind) {
	case STACK_FRAME_METHOD:
		if ((frame->flags & (STACK_FRAME_RUNTIME | STACK_FRAME_COMPILING)) != 0)
			return FLAME_RUNTIME;
		return is_waiting(frame) ? FLAME_WAITING : FLAME_MANAGED;
	case STACK_FRAME_FUNCTION:
	case STACK_FRAME_MODULE:
	case STACK_FRAME_LOCATION:
		return is_waiting(frame) ? FLAME_WAITING : FLAME_NATIVE;
	case STACK_FRAME_CLASS:
		return FLAME_CLASS;
	case STACK_FRAME_FIELD:
		return FLAME_FIELD;
	case STACK_FRAME_HEAP_ROOT:
		return FLAME_ROOT;
	default:
		return FLAME_OTHER;
	}
}

const char *flame_hue_name(flame_hue hue)
{
	return hue_names[hue];
}

/* A number that is the same for all methods of a class, and for all functions of a module. */
static unsigned int shade_of(const stack_frame *frame)
{
	const char *text = frame->kind == STACK_FRAME_METHOD || frame->kind == STACK_FRAME_FIELD ? frame->short_name
												 : frame->module;
	unsigned int hash = 2166136261u;

	for (; text != NULL && *text != '\0' && (*text != '.' || frame->kind == STACK_FRAME_FUNCTION); text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash >> 8;
}

char *flame_style_of(const stack_frame *frame, char text[FLAME_STYLE_SIZE])
{
	static const char letters[FLAME_HUES] = {'m', 'n', 'r', 'w', 'c', 'm', 'h', 'o'};
	flame_hue hue = flame_hue_of(frame);

	if (hue == FLAME_MANAGED || hue == FLAME_FIELD || hue == FLAME_NATIVE)
		snprintf(text, FLAME_STYLE_SIZE, "%c%u", letters[hue], shade_of(frame) % (hue == FLAME_NATIVE ? 3 : 6));
	else
		snprintf(text, FLAME_STYLE_SIZE, "%c", letters[hue]);
	return text;
}

static const char *const step_styles[FLAME_STEPS] = {"l4", "l3", "l2", "l1", "z", "g1", "g2", "g3", "g4"};
static const char *const step_names[FLAME_STEPS] = {
	"less than a third", "-67 %", "-40 %", "-20 %", "+-5 %", "+25 %", "+67 %", "+200 %", "more, or new",
};

const char *flame_step_style(int step)
{
	return step_styles[step];
}

const char *flame_step_name(int step)
{
	return step_names[step];
}

const char *flame_difference_style(uint64_t before, uint64_t after)
{
	/* The smaller one of the larger one. Equal ratios have equal distances from the middle. */
	static const double ratios[] = {0.95, 0.80, 0.60, 1.0 / 3};
	double less = (double)(before < after ? before : after);
	double more = (double)(before < after ? after : before);
	int step = 0;

	while (step < 4 && less < more * ratios[step])
		step++;
	return step_styles[before < after ? 4 + step : 4 - step];
}
