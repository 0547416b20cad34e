/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and changes irqbalance's ban list. */
#include "apply/fx_irqbalance.h"

#include <errno.h>
#include <string.h>

#include "apply/irqbalance_conn.h"
#include "apply/irqbalance_text.h"
#include "base/log.h"

#define SETUP_WAIT_MS 5000		      /* at least: who leaves before the answer may end the daemon */
#define ANSWER_MAX (IRQ_LIST_MAX * 96 + 4096) /* an interrupt's words have at most 84 bytes */

/*
 * Waits until the daemon takes connections, with a word that it does not know: it closes then. Its answer to
 * "setup" must be waited for: the daemon does not ignore SIGPIPE (systemd does it for a unit), and would be
 * ended by us if it answered later.
 */
static int wait_until_ready(const struct irqbalance_conn *c, int fd)
{
	static const char ping[] = "ping";
	char nothing[16];
	ssize_t length;
	int r = irqbalance_send(fd, ping, sizeof(ping));

	length = r < 0 ? r : irqbalance_receive(c, fd, nothing, sizeof(nothing));
	return length < 0 && length != -EFBIG ? irqbalance_unanswered(c, (int)length) : 0;
}

static int read_answer(struct irqbalance_conn *c)
{
	static const char setup[] = "setup";
	_cleanup_free_ char *answer = malloc(ANSWER_MAX);
	_cleanup_close_ int fd = irqbalance_dial(c);
	ssize_t length;
	int r;

	if (fd < 0)
		return fd;
	r = answer ? irqbalance_send(fd, setup, sizeof(setup)) : -ENOMEM;
	length = r < 0 ? r : irqbalance_receive(c, fd, answer, ANSWER_MAX);
	if (length == 0)
		return irqbalance_failed(c, -EPROTO, "closed the connection without an answer");
	r = length < 0 ? (int)length : irqbalance_parse_setup(answer, (size_t)length, &c->seen->bans);
	if (r == -EPROTO || r == -EFBIG)
		return irqbalance_failed(c, -EPROTO,
					 "gave an answer that is none of irqbalance's" IRQBALANCE_REMEDY);
	if (r == -E2BIG)
		return irqbalance_failed(c, r,
					 "has banned more interrupts than can be handled" IRQBALANCE_REMEDY);
	return r < 0 ? irqbalance_unanswered(c, r) : 0;
}

/* The list; the first word goes over fd. */
static int read_list(struct irqbalance_conn *c, int fd)
{
	bool stoppable = c->stoppable;
	int wait_ms = c->wait_ms;
	int r = wait_until_ready(c, fd);

	if (r < 0)
		return r;
	c->stoppable = false;
	c->wait_ms = wait_ms > SETUP_WAIT_MS ? wait_ms : SETUP_WAIT_MS;
	r = read_answer(c);
	c->stoppable = stoppable;
	c->wait_ms = wait_ms;
	return r;
}

static int too_long(const struct irqbalance_conn *c)
{
	return irqbalance_failed(
		c, -E2BIG,
		"cannot be sent its ban list: with these interrupts it has more than the 500 bytes that "
		"versions up to 1.9.4 read of it" IRQBALANCE_REMEDY);
}

static int send_list(struct irqbalance_conn *c, const char *command, size_t length)
{
	_cleanup_close_ int fd = irqbalance_dial(c);
	int r;

	if (fd < 0)
		return fd;
	log_effect("irqbalance: %s", command);
	r = irqbalance_send(fd, command, length);
	return r < 0 ? irqbalance_unanswered(c, r) : 0;
}

static int read_back(struct irqbalance_conn *c)
{
	_cleanup_close_ int fd = irqbalance_dial(c);

	return fd < 0 ? fd : read_list(c, fd);
}

/*
 * Sends bans as the whole list and reads it back. What a later connection answers is later than the command:
 * the daemon takes one after the other (sock_handle).
 */
static int replace(struct irqbalance_conn *c, const struct irq_list *bans)
{
	char command[IRQBALANCE_COMMAND_MAX];
	int r, length = irqbalance_ban_command(bans, command);

	if (length < 0)
		return too_long(c);
	r = send_list(c, command, (size_t)length);
	if (r < 0)
		return r;
	c->seen->changed = true;
	c->stoppable = false;
	r = read_back(c);
	if (r == 0 && !irq_list_equal(&c->seen->bans, bans))
		return irqbalance_failed(
			c, -EIO,
			"has another ban list than it was sent; somebody else changes it, or it did not "
			"take it: run this again");
	return r;
}

static int begin(struct irqbalance_conn *c)
{
	int r;

	memset(c->seen, 0, sizeof(*c->seen));
	c->socket = c->connection = -1;
	if (!c->root->live) {
		c->seen->state = IRQBALANCE_UNREACHABLE;
		return err_set(c->err, XC_ENVIRONMENT, -EROFS, "irqbalance",
			       "%s: a tree's irqbalance cannot be asked", c->root->path);
	}
	r = irqbalance_connect(c);
	if (r == 0 && c->connection >= 0) {
		r = read_list(c, c->connection);
		if (r == 0)
			c->seen->state = IRQBALANCE_RUNNING;
	}
	return r;
}

int fx_irqbalance_read(const struct root *root, int wait_ms, struct irqbalance *ret, struct err *err)
{
	struct irqbalance_conn c = {
		.root = root, .wait_ms = wait_ms, .stoppable = true, .seen = ret, .err = err
	};
	int r = begin(&c);

	irqbalance_close(&c);
	return r;
}

int fx_irqbalance_ban(const struct root *root, const struct irq_list *add, int wait_ms,
		      struct irqbalance *ret, struct err *err)
{
	struct irqbalance_conn c = {
		.root = root, .wait_ms = wait_ms, .stoppable = true, .seen = ret, .err = err
	};
	int r = begin(&c);

	if (r == 0 && ret->state == IRQBALANCE_RUNNING) {
		struct irq_list bans = ret->bans;

		if (irq_list_add_all(&bans, add) < 0)
			r = too_long(&c);
		else if (!irq_list_equal(&bans, &ret->bans))
			r = replace(&c, &bans);
		if (r == 0)
			ret->state = IRQBALANCE_BANNED;
	}
	irqbalance_close(&c);
	return r;
}

int fx_irqbalance_unban(const struct root *root, const struct irq_list *gone, uint64_t born, int wait_ms,
			struct irqbalance *ret, struct err *err)
{
	struct irqbalance_conn c = { .root = root, .wait_ms = wait_ms, .seen = ret, .err = err };
	int r = begin(&c);

	if (r == 0 && ret->state == IRQBALANCE_RUNNING && (born == 0 || born == ret->born)) {
		struct irq_list bans = ret->bans;

		irq_list_remove_all(&bans, gone);
		if (!irq_list_equal(&bans, &ret->bans))
			r = replace(&c, &bans);
	}
	irqbalance_close(&c);
	return r;
}
