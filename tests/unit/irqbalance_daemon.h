/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon that answers as irqbalance does, in a process of its own, below a fake root. It has what versions
 * are known for: it reads 500 bytes and no more, reads on into what is left in its buffer where a command has
 * no NUL, and dies of SIGPIPE.
 */
#pragma once

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fakefx.h"

struct daemon_plan {
	const char *name;   /* of the socket; NULL: "irqbalance4711.sock" */
	const char *bans;   /* "5 9", before anything else */
	const char *answer; /* to setup, instead of its own; its length, as it may hold a NUL */
	size_t answer_length;
	unsigned busy_ms; /* before it takes the first connection */
	bool dribbles;	  /* one byte every 10 ms, for ever */
	bool is_deaf;	  /* does not take a list */
	bool is_nobodys;  /* gives up being root before it listens */
};

#define DAEMON_DIR "run/irqbalance"
#define DAEMON_LOG "settings" /* below the root: the settings that it was sent, a NUL as "." */

struct daemon_state {
	unsigned irq[512];
	unsigned count;
};

static inline void daemon_take_list(struct daemon_state *state, const char *text)
{
	char *end;
	unsigned long irq = strtoul(text, &end, 10);

	state->count = 0;
	if (strncmp(text, "NONE", 4) == 0)
		return;
	do {
		if (state->count < 512)
			state->irq[state->count++] = (unsigned)irq;
	} while ((irq = strtoul(end, &end, 10)));
}

static inline void daemon_answer(int fd, const struct daemon_plan *plan, const struct daemon_state *state)
{
	char text[65536] = "SLEEP 10 ";

	if (plan->answer) {
		for (size_t at = 0; at < plan->answer_length;) {
			ssize_t n = send(fd, plan->answer + at, plan->answer_length - at, 0);

			if (n < 0)
				return;
			at += (size_t)n;
		}
		return;
	}
	while (plan->dribbles && send(fd, "S", 1, 0) == 1)
		usleep(10000);
	for (unsigned i = 0; i < state->count; i++)
		sprintf(text + strlen(text), "IRQ %u LOAD 0 DIFF 18446744073709551615 CLASS 0 ",
			state->irq[i]);
	strcat(text, "BANNED 00000000,0000ff00");
	(void)!send(fd, text, strlen(text), 0);
}

static inline void daemon_log(const struct root *root, const char *command, size_t length)
{
	int fd = openat(root->fd, DAEMON_LOG, O_WRONLY | O_CREAT | O_APPEND, 0600);

	for (size_t i = 0; i < length; i++)
		(void)!write(fd, command[i] == '\0' ? "." : command + i, 1);
	(void)!write(fd, "\n", 1);
	close(fd);
}

static inline void daemon_serve(const struct root *root, int fd, const struct daemon_plan *plan,
				struct daemon_state *state)
{
	char buffer[501], control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec part = { .iov_base = buffer, .iov_len = 500 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *head;
	struct ucred who;
	ssize_t length;

	memset(buffer, '7', sizeof(buffer));
	buffer[500] = '\0';
	length = recvmsg(fd, &message, 0);
	head = CMSG_FIRSTHDR(&message);
	if (length <= 0 || !head || head->cmsg_type != SCM_CREDENTIALS)
		return;
	memcpy(&who, CMSG_DATA(head), sizeof(who));
	if (who.uid != root->owner)
		return;
	if (strncmp(buffer, "settings ", 9) == 0)
		daemon_log(root, buffer, (size_t)length);
	if (strncmp(buffer, "settings ban irqs ", 18) == 0 && !plan->is_deaf)
		daemon_take_list(state, buffer + 18);
	if (strncmp(buffer, "setup", 5) == 0)
		daemon_answer(fd, plan, state);
}

static inline void daemon_run(const struct root *root, const struct daemon_plan *plan, int ready)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct daemon_state state = { .count = 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), one = 1, dir, client;

	signal(SIGPIPE, SIG_DFL);
	if (plan->bans)
		daemon_take_list(&state, plan->bans);
	dir = openat(root->fd, DAEMON_DIR, O_PATH | O_DIRECTORY);
	snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s", dir,
		 plan->name ? plan->name : "irqbalance4711.sock");
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) < 0 ||
	    (plan->is_nobodys && setuid(65534) < 0) || listen(fd, 1) < 0 || write(ready, "", 1) != 1)
		_exit(1);
	usleep(plan->busy_ms * 1000);
	while ((client = accept(fd, NULL, NULL)) >= 0) {
		daemon_serve(root, client, plan, &state);
		close(client);
	}
	_exit(1);
}

/* Its pid; it listens. */
static inline pid_t daemon_start(const struct root *root, const struct daemon_plan *plan)
{
	int ready[2];
	char byte;
	pid_t pid;

	(void)mkdirat(root->fd, DAEMON_DIR, 0755);
	if (pipe(ready) < 0)
		err(1, "pipe");
	pid = fork();
	if (pid == 0)
		daemon_run(root, plan, ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		errx(1, "the daemon does not listen");
	close(ready[0]);
	return pid;
}

/* Ends it. True if it was still there. */
static inline bool daemon_end(pid_t pid)
{
	bool alive = waitpid(pid, NULL, WNOHANG) == 0;

	if (alive) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return alive;
}
