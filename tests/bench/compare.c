/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs two commands in turn and compares their times: median, spread, ratio of the medians; and their memory.
 * What is compared runs in one go, so that whatever else the machine does hits both.
 *
 * usage: compare PAIRS NAME-A COMMAND-A NAME-B COMMAND-B
 * Commands are words between blanks, without a shell; their output goes to /dev/null.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS_MAX 1000
#define WORDS_MAX 64

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* *ret_kb: the most memory that it had at a time. */
static double run(const char *command, long *ret_kb)
{
	struct rusage usage = { 0 };

	char *words[WORDS_MAX + 1] = { NULL }, *text = strdup(command), *rest = text;
	int count = 0;
	double start;
	pid_t pid;
	int status;

	while (text && count < WORDS_MAX && (words[count] = strsep(&rest, " ")))
		count++;
	start = now_ms();
	pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0) {
			dup2(null, 0);
			dup2(null, 1);
			dup2(null, 2);
		}
		execvp(words[0], words);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 127) {
		fprintf(stderr, "compare: cannot run: %s\n", command);
		exit(1);
	}
	start = now_ms() - start;
	if (usage.ru_maxrss > *ret_kb)
		*ret_kb = usage.ru_maxrss;
	free(text);
	return start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double report(const char *name, double *times, int count, long kb)
{
	qsort(times, (size_t)count, sizeof(*times), by_value);
	printf("%-28s median %8.2f ms, from %.2f to %.2f; %.1f MiB\n", name, times[count / 2], times[0],
	       times[count - 1], (double)kb / 1024);
	return times[count / 2];
}

int main(int argc, char *argv[])
{
	static double a[PAIRS_MAX], b[PAIRS_MAX];
	int pairs = argc == 6 ? atoi(argv[1]) : 0;
	long a_kb = 0, b_kb = 0;

	if (pairs < 1 || pairs > PAIRS_MAX) {
		fprintf(stderr, "usage: compare PAIRS NAME-A COMMAND-A NAME-B COMMAND-B\n");
		return 2;
	}
	(void)run(argv[3], &a_kb); /* both once before: caches are warm for all that counts */
	(void)run(argv[5], &b_kb);
	for (int i = 0; i < pairs; i++) {
		a[i] = run(argv[3], &a_kb);
		b[i] = run(argv[5], &b_kb);
	}
	printf("ratio %.2f\n", report(argv[2], a, pairs, a_kb) / report(argv[4], b, pairs, b_kb));
	return 0;
}
