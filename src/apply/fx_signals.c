/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program does with signals, and the one timer that ends a connect which takes too long. */
#include "apply/fx_signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define REPEAT_NS 100000000L /* 100 ms */

/* A handler has no argument, so what it sets cannot be but here. */
static volatile sig_atomic_t stop_asked, deadline_passed, armed;
static timer_t timer;
static bool timer_there;

static int set_timer(time_t seconds, long nanoseconds)
{
	struct itimerspec when = {
		.it_value = { .tv_sec = seconds, .tv_nsec = nanoseconds },
		.it_interval = { .tv_nsec = seconds || nanoseconds ? REPEAT_NS : 0 },
	};

	return timer_settime(timer, 0, &when, NULL) < 0 ? -errno : 0;
}

static void on_stop(int signal)
{
	int saved = errno;

	(void)signal;
	stop_asked = 1;
	if (armed) /* timer_settime is async-signal-safe (signal-safety(7)) */
		(void)set_timer(0, 1);
	errno = saved;
}

/* It only has to be there: that a handler runs is what ends the system call with EINTR. */
static void on_alarm(int signal)
{
	(void)signal;
	if (armed && !stop_asked)
		deadline_passed = 1;
}

static int handle(int signal, void (*handler)(int), bool keep_ignored)
{
	struct sigaction action = { .sa_handler = handler }, before;

	(void)sigfillset(&action.sa_mask);
	if (sigaction(signal, NULL, &before) < 0)
		return -errno;
	if (keep_ignored && before.sa_handler == SIG_IGN)
		return 0;
	return sigaction(signal, &action, NULL) < 0 ? -errno : 0;
}

int fx_signals_setup(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	sigset_t ours;
	int r = 0;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
		return -errno;
	timer_there = true;
	r = handle(SIGALRM, on_alarm, false);
	(void)sigemptyset(&ours);
	(void)sigaddset(&ours, SIGALRM);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(stops); i++) {
		(void)sigaddset(&ours, stops[i]);
		r = handle(stops[i], on_stop, true);
	}
	/* Blocked by whoever started us they would not end a connect. */
	if (r == 0 && sigprocmask(SIG_UNBLOCK, &ours, NULL) < 0)
		r = -errno;
	/* Ignored by whoever started us it would take the exit status of our children away. */
	if (r == 0)
		r = handle(SIGCHLD, SIG_DFL, false);
	return r == 0 ? handle(SIGPIPE, SIG_IGN, false) : r;
}

bool fx_signals_stop(void)
{
	return stop_asked;
}

int fx_signals_arm(int seconds)
{
	int r;

	if (!timer_there)
		return -ENXIO;
	if (seconds < 1)
		return -ERANGE;
	deadline_passed = 0;
	armed = 1;
	r = set_timer(seconds, 0);
	/* A stop signal just before that has set the timer as well, and was overwritten. */
	if (r == 0 && stop_asked)
		r = set_timer(0, 1);
	if (r < 0)
		armed = 0;
	return r;
}

bool fx_signals_disarm(void)
{
	(void)set_timer(0, 0);
	armed = 0;
	return deadline_passed;
}
