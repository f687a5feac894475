/* SPDX-License-Identifier: MIT */
/* Shows a live view with ncurses. */
#include "live/top_screen.h"

#ifdef WITH_NCURSES

#include "live/top_view.h"

#include "common/name_cut.h"
#include "shared/text.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_INTERVAL_MS 50
#define MAX_INTERVAL_MS 6400
#define TABLE_LINE (TOP_HEADER_LINES + 1)
#define KEY_ESCAPE 27

/* A terminal with fewer lines or columns shows only that it is too small. */
#define MIN_LINES 12
#define MIN_COLUMNS 60

typedef enum screen_view { VIEW_HOT, VIEW_CLASSES, VIEW_THREADS, VIEW_MONITORS, VIEW_COUNT } screen_view;

typedef struct top_screen {
	live_profile *live;
	top_sort sort;
	unsigned interval_ms;
	screen_view view;
	int is_paused;
	int is_help;
	int is_detail; /**< Callers and callees of the method in detail are shown. */
	top_row detail;
	uint32_t detail_table;
	size_t selected;
	top_row rows[TOP_ROWS_MAX];
	size_t row_count;
	uint32_t table; /**< The table of rows. */
} top_screen;

static const char *const help_lines[] = {
	"q            quit",
	"p            pause the display; reading continues",
	"s            sort methods by own time, time with callees, calls",
	"t            threads",
	"tab          next table: methods, classes, threads, monitors",
	"up, down     select a method",
	"enter        callers and callees of the method; again, or escape: back",
	"+ -          more or fewer updates",
	"r            empty the window",
	"h            this help",
};

/* Names come from the log: control characters are shown as text, as everywhere. */
static void put_line(int line, int attributes, const char *text)
{
	char *escaped = NULL;
	size_t length = 0;
	FILE *stream = line < LINES ? open_memstream(&escaped, &length) : NULL;

	if (stream == NULL)
		return;
	text_name(stream, text);
	(void)text_of_stream(stream, &escaped);
	attrset(attributes);
	move(line, 0);
	clrtoeol();
	if (escaped != NULL)
		addnstr(escaped, COLS);
	free(escaped);
	if ((attributes & A_REVERSE) != 0) {
		for (int column = getcurx(stdscr); column > 0 && column < COLS && getcury(stdscr) == line; column++)
			addch(' ');
	}
	attrset(A_NORMAL);
}

/* A row whose name is shortened to what fits. */
static void put_row(int line, int attributes, const char *numbers, const char *name)
{
	char text[TOP_LINE_SIZE * 2];
	const int width = COLS - (int)strlen(numbers);
	char *shortened = name_cut(name, width > 8 ? (size_t)width : 8);

	snprintf(text, sizeof(text), "%s%s", numbers, shortened != NULL ? shortened : name);
	free(shortened);
	put_line(line, attributes, text);
}

static void draw_header(const top_screen *screen)
{
	char lines[TOP_HEADER_LINES][TOP_LINE_SIZE];
	const int has_ended = live_profile_state(screen->live) != LIVE_RECORDING;

	top_view_header(screen->live, lines);
	put_line(0, has_ended ? A_REVERSE | A_BOLD : A_REVERSE, lines[0]);
	for (int i = 1; i < TOP_HEADER_LINES; i++)
		put_line(i, A_NORMAL, lines[i]);
}

static void draw_table(top_screen *screen)
{
	static const uint32_t tables[VIEW_COUNT] = {0, MPROF_TABLE_CLASSES, MPROF_TABLE_THREADS, MPROF_TABLE_MONITORS};
	const size_t room = LINES > TABLE_LINE + 2 ? (size_t)(LINES - TABLE_LINE - 2) : 0;
	char line[TOP_LINE_SIZE];

	screen->table = screen->view == VIEW_HOT ? top_view_hot_table(screen->live) : tables[screen->view];
	screen->row_count =
		top_view_collect(screen->live, screen->table, screen->view == VIEW_HOT ? screen->sort : TOP_SORT_SELF,
				 screen->rows, room < TOP_ROWS_MAX ? room : TOP_ROWS_MAX);
	if (screen->selected >= screen->row_count)
		screen->selected = screen->row_count > 0 ? screen->row_count - 1 : 0;
	top_view_titles(screen->table, line);
	put_line(TABLE_LINE, A_BOLD, line);
	for (size_t i = 0; i < screen->row_count; i++) {
		top_view_row(screen->live, screen->table, &screen->rows[i], line);
		put_row(TABLE_LINE + 1 + (int)i, i == screen->selected ? A_REVERSE : A_NORMAL, line,
			top_view_name(screen->live, screen->table, &screen->rows[i]));
	}
}

static int draw_related(const top_screen *screen, int line, int end, const char *title, const top_related *related,
			size_t count)
{
	char numbers[TOP_LINE_SIZE];

	put_line(line++, A_BOLD, title);
	for (size_t i = 0; i < count && line < end; i++) {
		top_view_related(&related[i], screen->detail_table, numbers);
		put_row(line++, A_NORMAL, numbers, top_view_related_name(screen->live, &related[i]));
	}
	return line;
}

static void draw_detail(const top_screen *screen)
{
	static top_callers found;
	const int middle = TABLE_LINE + 2 + (LINES - TABLE_LINE - 4) / 2;
	char title[TOP_LINE_SIZE];
	int line;

	if (!top_view_find_callers(screen->live, screen->detail_table, &screen->detail, &found)) {
		put_line(TABLE_LINE, A_BOLD, "out of memory");
		return;
	}
	snprintf(title, sizeof(title), "in all that was read: %.300s",
		 top_view_name(screen->live, screen->detail_table, &screen->detail));
	put_line(TABLE_LINE, A_REVERSE, title);
	line = draw_related(screen, TABLE_LINE + 1, middle, "        self  with callees         calls  is called by",
			    found.callers, found.caller_count);
	draw_related(screen, line, LINES - 1, "        self  with callees         calls  calls", found.callees,
		     found.callee_count);
}

static void draw(top_screen *screen)
{
	static const char *const sorts[] = {"own time", "time with callees", "calls"};
	char line[TOP_LINE_SIZE];

	erase();
	if (LINES < MIN_LINES || COLS < MIN_COLUMNS) {
		put_line(0, A_NORMAL, "mprof top needs 12 lines of 60 columns; q quits");
		refresh();
		return;
	}
	draw_header(screen);
	if (screen->is_help) {
		for (size_t i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]); i++)
			put_line(TABLE_LINE + (int)i, A_NORMAL, help_lines[i]);
	} else if (screen->is_detail) {
		draw_detail(screen);
	} else {
		draw_table(screen);
	}
	snprintf(line, sizeof(line),
		 "%sq quit  p pause  s sort: %s  t threads  tab tables  enter callers  + - %u ms  r reset  h help",
		 screen->is_paused ? "PAUSED  " : "", sorts[screen->sort], screen->interval_ms);
	put_line(LINES - 1, A_REVERSE, line);
	refresh();
}

static void toggle_detail(top_screen *screen)
{
	if (screen->is_detail) {
		screen->is_detail = 0;
	} else if (screen->view == VIEW_HOT && screen->selected < screen->row_count) {
		screen->is_detail = 1;
		screen->detail = screen->rows[screen->selected];
		screen->detail_table = screen->table;
	}
}

static void show_view(top_screen *screen, screen_view view)
{
	screen->view = view;
	screen->is_detail = 0;
	screen->selected = 0;
}

static void change_rate(top_screen *screen, int key)
{
	if (key == '+' && screen->interval_ms / 2 >= MIN_INTERVAL_MS)
		screen->interval_ms /= 2;
	if (key == '-' && screen->interval_ms * 2 <= MAX_INTERVAL_MS)
		screen->interval_ms *= 2;
}

static void handle_view_key(top_screen *screen, int key)
{
	switch (key) {
	case 't':
		show_view(screen, screen->view == VIEW_THREADS ? VIEW_HOT : VIEW_THREADS);
		break;
	case '\t':
		show_view(screen, (screen_view)((screen->view + 1) % VIEW_COUNT));
		break;
	case KEY_DOWN:
		screen->selected++;
		break;
	case KEY_UP:
		screen->selected -= screen->selected > 0;
		break;
	case '\n':
	case '\r':
	case KEY_ENTER:
		toggle_detail(screen);
		break;
	case KEY_ESCAPE:
		screen->is_detail = 0;
		screen->is_help = 0;
		break;
	default:
		break;
	}
}

/* Returns 0 if the user quits. */
static int handle_key(top_screen *screen, int key)
{
	switch (key) {
	case 'q':
		return 0;
	case 'p':
		screen->is_paused = !screen->is_paused;
		break;
	case 's':
		screen->sort = screen->sort == TOP_SORT_COUNT ? TOP_SORT_SELF : (top_sort)(screen->sort + 1);
		break;
	case '+':
	case '-':
		change_rate(screen, key);
		break;
	case 'r':
		live_profile_restart(screen->live);
		break;
	case 'h':
		screen->is_help = !screen->is_help;
		break;
	default:
		handle_view_key(screen, key);
		break;
	}
	return 1;
}

static void show_until_quit(top_screen *screen)
{
	uint64_t next_ns = 0;
	int is_running = 1;

	while (is_running && !growing_log_is_interrupted()) {
		const uint64_t now = growing_log_clock();
		int key;

		if (now >= next_ns) {
			live_profile_update(screen->live, screen->interval_ms);
			next_ns = now + (uint64_t)screen->interval_ms * 1000000;
			/* A paused display still shows keys and the state of the pause. */
			if (!screen->is_paused)
				draw(screen);
		}
		timeout(next_ns > growing_log_clock() ? (int)((next_ns - growing_log_clock()) / 1000000 + 1) : 0);
		key = getch();
		if (key == ERR)
			continue;
		is_running = handle_key(screen, key);
		draw(screen);
	}
}

int top_screen_run(live_profile *live, top_sort sort, unsigned interval_ms)
{
	static top_screen screen;
	/* Standard input may be the log. */
	FILE *keyboard = fopen("/dev/tty", "re");
	SCREEN *terminal = keyboard != NULL ? newterm(NULL, stdout, keyboard) : NULL;

	if (terminal == NULL) {
		if (keyboard != NULL)
			fclose(keyboard);
		return 0;
	}
	screen.live = live;
	screen.sort = sort;
	screen.interval_ms = interval_ms;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	/* Messages would appear in the middle of the screen; the header has the number of problems. */
	live->log.input.is_quiet = 1;
	show_until_quit(&screen);
	endwin();
	delscreen(terminal);
	fclose(keyboard);
	if (live->log.input.problem_count > 0)
		fprintf(stderr, "mprof: %s: the log is incomplete or damaged: 'mprof check' lists the problems\n",
			live->log.input.name);
	return 1;
}

#else

int top_screen_run(live_profile *live, top_sort sort, unsigned interval_ms)
{
	(void)live;
	(void)sort;
	(void)interval_ms;
	return 0;
}

#endif
