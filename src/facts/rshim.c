/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/rshimN/misc: what the driver of the card's management function knows, a key and a value a line. It is
 * one of user space, so the file may be anything; root alone may read it.
 */
#include "facts/offload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "facts/sysfs.h"

#define MISC_MAX 65536
#define ANSWER_MS 500
#define CODE_MAX 256   /* an errno that an exit status can hold */
#define BY_PCI "pcie-" /* before the address in DEV_NAME */

/* The value of a line "KEY   value", without blanks around it. False: there is none, or it does not fit. */
static bool find_value(const char *text, const char *key, char *ret, size_t size)
{
	size_t key_length = strlen(key);

	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, "\r\n");

		if (strncmp(line, key, key_length) != 0 || !strchr(" \t", line[key_length]) ||
		    line[key_length] == '\0')
			continue;
		line += key_length;
		length -= key_length;
		while (length > 0 && strchr(" \t", *line)) {
			line++;
			length--;
		}
		while (length > 0 && strchr(" \t", line[length - 1]))
			length--;
		if (length == 0 || length >= size)
			return false;
		memcpy(ret, line, length);
		ret[length] = '\0';
		return true;
	}
	return false;
}

static struct offload_card *find_card(struct offload *offload, const char *dev_name)
{
	struct pci_addr pci;

	if (!str_starts(dev_name, BY_PCI) || pci_parse(dev_name + strlen(BY_PCI), &pci) < 0)
		return NULL;
	for (unsigned i = 0; i < offload->cards; i++) {
		if (pci_same_card(&offload->card[i].pci, &pci))
			return &offload->card[i];
	}
	return NULL;
}

static enum bf_mode parse_mode(const char *text)
{
	if (strcmp(text, "DPU mode") == 0)
		return BF_MODE_DPU;
	if (strcmp(text, "NIC mode") == 0)
		return BF_MODE_NIC;
	return BF_MODE_UNCLEAR; /* "Unknown", "Reserved", or of a newer rshim */
}

static void take(struct offload *offload, const char *name, const char *text)
{
	char dev_name[64], mode[64];
	struct offload_card *card;
	enum bf_mode said;

	if (!find_value(text, "DEV_NAME", dev_name, sizeof(dev_name)))
		return;
	card = find_card(offload, dev_name);
	if (!card)
		return; /* by USB, or of a card that is not for storage */
	said = find_value(text, "BF_MODE", mode, sizeof(mode)) ? parse_mode(mode) : BF_MODE_UNCLEAR;
	card->rshim = card->rshim_name[0] == '\0' || card->rshim == said ? said : BF_MODE_UNCLEAR;
	str_format(card->rshim_name, sizeof(card->rshim_name), "%s", name);
}

/* The child: what it may hang in for ever holds nothing of ours open but the root and the pipe. */
static _Noreturn void answer(const struct root *root, const char *name, int pipe)
{
	_cleanup_free_ char *text = NULL;
	unsigned low = (unsigned)(root->fd < pipe ? root->fd : pipe);
	unsigned high = (unsigned)(root->fd < pipe ? pipe : root->fd);
	ssize_t length;

	if (low > 0)
		(void)close_range(0, low - 1, 0);
	if (high > low + 1)
		(void)close_range(low + 1, high - 1, 0);
	(void)close_range(high + 1, UINT_MAX, 0);
	length = root_read_all(root, &text, MISC_MAX, "dev/%s/misc", name);
	if (length > 0 && write(pipe, text, (size_t)length) != length)
		length = -EIO;
	_exit(length < 0 && length > -CODE_MAX ? (int)-length : 0);
}

/* All that the child sends, until it ends. Length or -errno. */
static ssize_t take_answer(int fd, char *buf, size_t size)
{
	int64_t deadline = clock_ms() + ANSWER_MS;
	size_t length = 0;

	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_ms();
		ssize_t n;

		if (left <= 0 || length == size)
			return left <= 0 ? -ETIMEDOUT : -EFBIG;
		if (poll(&poll_fd, 1, (int)left) <= 0)
			continue;
		n = read(fd, buf + length, size - length);
		if (n == 0)
			return (ssize_t)length;
		if (n < 0 && errno != EINTR)
			return -errno;
		length += n > 0 ? (size_t)n : 0;
	}
}

/*
 * rshim is a driver in user space (CUSE): if it hangs, so does whoever opens or reads its files, and no
 * signal ends that. So a child asks, and is left behind if it does not come back.
 */
static ssize_t read_misc(const struct root *root, const char *name, char **ret)
{
	_cleanup_free_ char *text = malloc(MISC_MAX);
	_cleanup_close_ int in = -1, out = -1;
	int fds[2], status = 0;
	ssize_t length;
	pid_t pid;

	if (!root->live)
		return root_read_all(root, ret, MISC_MAX, "dev/%s/misc", name);
	if (!text)
		return -ENOMEM;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	in = fds[0];
	out = fds[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		answer(root, name, out);
	(void)close(out);
	out = -1;
	length = take_answer(in, text, MISC_MAX - 1);
	if (length < 0)
		(void)kill(pid, SIGKILL);
	if (waitpid(pid, &status, length < 0 ? WNOHANG : 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) != 0)
		length = -WEXITSTATUS(status);
	if (length < 0)
		return length;
	text[length] = '\0';
	*ret = text;
	text = NULL;
	return length;
}

void rshim_read(const struct root *root, struct offload *ret, struct findings *findings)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, "dev");

	if (r < 0 && r != -ENOENT)
		sysfs_unreadable(findings, "rshim", r, "dev");
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *text = NULL;
		ssize_t length;
		unsigned number;

		if (!sysfs_numbered(names.name[i], "rshim", &number))
			continue;
		length = read_misc(root, names.name[i], &text);
		if (length >= 0 && memchr(text, '\0', (size_t)length))
			length = -EINVAL;
		if (length >= 0)
			take(ret, names.name[i], text);
		else if (length != -ENOENT)
			str_format(ret->rshim_why, sizeof(ret->rshim_why), "/dev/%.20s/misc: %s",
				   names.name[i], strerror(-(int)length));
	}
}
