/* SPDX-License-Identifier: MIT */
/*
 * Records an HTTP server with events of its own: each request is a span with its route, status and size, and each file
 * that does not exist is a message. Four threads serve the clients, which are threads of the same program: a flow leads
 * from what they ask for to the request that answers.
 *
 *     ./server requests.mprof && mprof dump requests.mprof
 */
#include <mprof/recorder.h>

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 4, CLIENTS = 3, REQUESTS = 200, LINE_BYTES = 512, BODY_BYTES = 2048, SEVERITY_WARNING = 4 };

/* What the server answers to paths with a prefix. The last route is for all others. */
typedef struct route {
	const char *prefix;
	const char *name;
	int status;
	size_t body;
	uint32_t text; /* The ID of its name in the log. */
} route;

static route routes[] = {
	{"/users/", "/users/:id", 200, 120, 0},
	{"/files/", "/files/:name", 200, BODY_BYTES, 0},
	{"", "(no route)", 404, 0, 0},
};

enum { ROUTES = sizeof(routes) / sizeof(routes[0]) };

static mprof_recorder *recorder;
static uint32_t request_type;
static uint32_t ask_type;
static uint32_t message_type;
static int listener;
static struct sockaddr_in address = {.sin_family = AF_INET};

static const mprof_argument_record request_arguments[] = {
	{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "route", ""},
	{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, 0, "status", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, MPROF_ARGUMENT_UNIT_BYTES, "bytes", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_FLOW_IN, 0, "from", ""},
};

static const mprof_argument_record ask_arguments[] = {
	{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_FLOW_OUT, 0, "to", ""},
};

static const mprof_argument_record message_arguments[] = {
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_SEVERITY, 0, "severity", ""},
	{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, MPROF_ROLE_MESSAGE, 0, "message", ""},
};

static uint32_t define_text(const char *text)
{
	uint32_t id = 0;

	if (mprof_recorder_define_text(recorder, text, strlen(text), &id) != MPROF_OK)
		fprintf(stderr, "server: cannot define %s\n", text);
	return id;
}

/* An event of type 0, which is not defined, is counted as lost: the server goes on. */
static uint32_t define_type(uint32_t form, const char *name, const mprof_argument_record *arguments, uint32_t count)
{
	mprof_type_record type = {.form = form, .category = define_text("http"), .argument_count = count, .name = name};
	uint32_t id = 0;

	if (mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count, &type.first_argument) !=
		    MPROF_OK ||
	    mprof_recorder_define_type(recorder, &type, sizeof(type), &id) != MPROF_OK)
		fprintf(stderr, "server: cannot define %s\n", name);
	return id;
}

/* A text that is written into each event. The recorder keeps the start of a long one. */
static void record_missing(mprof_thread *thread, const char *path)
{
	const mprof_argument_value values[] = {
		{.number = SEVERITY_WARNING},
		{.bytes = (const uint8_t *)path, .length = strlen(path)},
	};

	mprof_thread_record_typed(thread, message_type, values, 2);
}

static void record_request(mprof_thread *thread, uint64_t started, const route *served, size_t bytes, uint64_t flow)
{
	/* The recorder adds the duration. */
	const mprof_argument_value values[] = {
		{.number = served->text},
		{.number = (uint64_t)served->status},
		{.number = bytes},
		{.number = flow},
	};

	mprof_thread_record_span(thread, request_type, started, values, 4);
}

static const route *find_route(const char *path)
{
	size_t i = 0;

	while (i < ROUTES - 1 && strncmp(path, routes[i].prefix, strlen(routes[i].prefix)) != 0)
		i++;
	return &routes[i];
}

/* Serves a request. Returns the bytes that were sent, 0 if it has no answer. A stream reads from the connection. */
static size_t answer(int connection, const route *served)
{
	const int sent = dprintf(connection, "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\n\r\n%*s", served->status,
				 served->status == 200 ? "OK" : "Not Found", served->body, (int)served->body, "");

	return sent < 0 ? 0 : (size_t)sent;
}

/* Reads the header lines of a request or an answer. Returns the length of the body; SIZE_MAX if the stream ends. */
static size_t read_header(FILE *stream, uint64_t *flow)
{
	char line[LINE_BYTES];
	size_t length = 0;

	while (fgets(line, sizeof(line), stream) != NULL) {
		if (line[0] == '\r' || line[0] == '\n')
			return length;
		(void)sscanf(line, "Content-Length: %zu", &length);
		(void)sscanf(line, "Flow: %" SCNu64, flow);
	}
	return SIZE_MAX;
}

/* Serves the requests of a connection, until the client closes it. */
static void serve(mprof_thread *thread, FILE *client)
{
	char line[LINE_BYTES];
	char path[LINE_BYTES];
	size_t bytes = 1;

	while (bytes > 0 && fgets(line, sizeof(line), client) != NULL) {
		const uint64_t started = mprof_recorder_read_counter(recorder);
		const route *served;
		uint64_t flow = 0;

		if (sscanf(line, "GET %511s", path) != 1 || read_header(client, &flow) == SIZE_MAX)
			return;
		served = find_route(path);
		if (served->status == 404)
			record_missing(thread, path);
		bytes = answer(fileno(client), served);
		if (bytes > 0)
			record_request(thread, started, served, bytes, flow);
	}
}

/* A worker takes one connection after the other, until the listener is shut down. */
static void *work(void *argument)
{
	mprof_thread *thread;
	int connection;

	(void)argument;
	/* NULL if the thread could not be attached: then it records nothing. */
	(void)!mprof_recorder_attach(recorder, 0, &thread);
	while ((connection = accept(listener, NULL, NULL)) >= 0) {
		FILE *client = fdopen(connection, "r");

		if (client == NULL)
			break;
		serve(thread, client);
		fclose(client);
	}
	mprof_thread_detach(thread);
	return NULL;
}

/* Asks for a path and reads the answer. Returns its status, 0 if there is none. */
static int ask(FILE *server, const char *path, uint64_t flow)
{
	char line[LINE_BYTES];
	char body[BODY_BYTES];
	size_t length;
	int status;

	if (dprintf(fileno(server), "GET %s HTTP/1.1\r\nFlow: %" PRIu64 "\r\n\r\n", path, flow) < 0 ||
	    fgets(line, sizeof(line), server) == NULL || sscanf(line, "HTTP/1.1 %d", &status) != 1)
		return 0;
	length = read_header(server, &flow);
	return length <= sizeof(body) && fread(body, 1, length, server) == length ? status : 0;
}

/* A client sends its requests over one connection. Returns its number if one of them failed. */
static void *be_client(void *number)
{
	static const char *const directories[] = {"users", "users", "files", "nothing"};
	const int connection = socket(AF_INET, SOCK_STREAM, 0);
	FILE *server = fdopen(connection, "r");
	mprof_thread *thread;
	int answered = 0;

	if (server == NULL || connect(connection, (struct sockaddr *)&address, sizeof(address)) != 0)
		return number;
	(void)!mprof_recorder_attach(recorder, 0, &thread);
	for (int i = 0; i < REQUESTS; i++) {
		const mprof_argument_value to = {.number = *(uint64_t *)number + (uint64_t)i};
		const uint64_t started = mprof_recorder_read_counter(recorder);
		char path[64];

		snprintf(path, sizeof(path), "/%s/%d", directories[i % 4], i);
		answered += ask(server, path, to.number) == (i % 4 == 3 ? 404 : 200);
		mprof_thread_record_span(thread, ask_type, started, &to, 1);
	}
	fclose(server);
	mprof_thread_detach(thread);
	return answered == REQUESTS ? NULL : number;
}

static int open_listener(void)
{
	socklen_t size = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	return listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 64) == 0 &&
	       getsockname(listener, (struct sockaddr *)&address, &size) == 0;
}

/* Returns 0 if a request failed. */
static int run(void)
{
	pthread_t workers[WORKERS];
	pthread_t clients[CLIENTS];
	uint64_t numbers[CLIENTS]; /* Of their first requests. */
	int is_served = 1;

	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < CLIENTS; i++) {
		numbers[i] = (uint64_t)i * REQUESTS + 1;
		pthread_create(&clients[i], NULL, be_client, &numbers[i]);
	}
	for (int i = 0; i < CLIENTS; i++) {
		void *failed;

		pthread_join(clients[i], &failed);
		is_served &= failed == NULL;
	}
	shutdown(listener, SHUT_RDWR);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	close(listener);
	return is_served;
}

int main(int argc, char **argv)
{
	int is_served;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK || !open_listener())
		return EXIT_FAILURE;
	/* A client may close its connection at any time. */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ROUTES; i++)
		routes[i].text = define_text(routes[i].name);
	request_type = define_type(MPROF_TYPE_SPAN, "request", request_arguments, 5);
	ask_type = define_type(MPROF_TYPE_SPAN, "ask", ask_arguments, 2);
	message_type = define_type(MPROF_TYPE_INSTANT, "message", message_arguments, 2);
	is_served = run();
	if (mprof_recorder_close(recorder) != MPROF_OK)
		is_served = 0;
	mprof_recorder_destroy(recorder);
	return is_served ? EXIT_SUCCESS : EXIT_FAILURE;
}
