/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance's words. */
#include "apply/irqbalance_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static int append(char *buf, size_t size, size_t *at, const char *text)
{
	size_t length = strlen(text);

	if (length >= size - *at)
		return -ENOSPC;
	memcpy(buf + *at, text, length + 1);
	*at += length;
	return 0;
}

int irqbalance_ban_command(const struct irq_list *bans, char buf[static IRQBALANCE_COMMAND_MAX])
{
	size_t at = 0;
	int r = append(buf, IRQBALANCE_COMMAND_MAX, &at, "settings ban irqs");

	if (r == 0 && bans->count == 0)
		r = append(buf, IRQBALANCE_COMMAND_MAX, &at, " NONE");
	for (unsigned i = 0; i < bans->count && r == 0; i++) {
		char number[16];

		str_format(number, sizeof(number), " %u", bans->irq[i]);
		r = append(buf, IRQBALANCE_COMMAND_MAX, &at, number);
	}
	return r < 0 ? -E2BIG : (int)at + 1;
}

/* The next word; the text is ended there. NULL at the end, and for an empty one: there is one blank a gap. */
static char *take_word(char **rest)
{
	char *word = strsep(rest, " ");

	return word && word[0] != '\0' ? word : NULL;
}

static bool take_key(char **rest, const char *key)
{
	const char *word = take_word(rest);

	return word && strcmp(word, key) == 0;
}

/* Of the numbers but the interrupt's nothing is used: CLASS is an int, the others are not negative. */
static bool take_number(char **rest, uint64_t max, uint64_t *ret)
{
	const char *word = take_word(rest);

	return word && parse_u64(word, max, ret) == 0;
}

static int take_irq(char **rest, struct irq_list *ret)
{
	uint64_t irq, ignored;

	if (!take_number(rest, INT_MAX, &irq) || !take_key(rest, "LOAD") ||
	    !take_number(rest, UINT64_MAX, &ignored) || !take_key(rest, "DIFF") ||
	    !take_number(rest, UINT64_MAX, &ignored) || !take_key(rest, "CLASS") ||
	    !take_number(rest, INT_MAX, &ignored))
		return -EPROTO;
	return irq_list_add(ret, (unsigned)irq);
}

static bool is_mask(const char *text)
{
	return text && text[0] != '\0' && text[strspn(text, "0123456789abcdef,")] == '\0';
}

int irqbalance_parse_setup(const char *text, size_t length, struct irq_list *ret)
{
	_cleanup_free_ char *copy = strndup(text, length);
	char *rest = copy, *word;
	uint64_t interval;
	int r = 0;

	ret->count = 0;
	if (!copy)
		return -ENOMEM;
	if (strlen(copy) != length || !take_key(&rest, "SLEEP") || !take_number(&rest, INT_MAX, &interval))
		return -EPROTO;
	while ((word = take_word(&rest)) && strcmp(word, "IRQ") == 0) {
		r = take_irq(&rest, ret);
		if (r < 0)
			return r;
	}
	/* The mask of CPUs comes last: without it the answer is not whole. */
	return word && strcmp(word, "BANNED") == 0 && is_mask(rest) ? 0 : -EPROTO;
}

int irqbalance_policy_script(const struct pci_addr *pci, unsigned count, char *buf, size_t size)
{
	static const char head[] =
		"#!/bin/sh\n"
		"# irqbalance --policyscript=THIS-FILE (owned by root, mode 0755): $1 is the directory of "
		"the\n"
		"# interrupt's PCI function, $2 its number. The functions below carry storage; all their\n"
		"# interrupts stay where they were put.\n"
		"case $1 in\n";
	size_t at = 0;
	int r = size == 0 ? -ENOSPC : append(buf, size, &at, head);

	for (unsigned i = 0; i < count && r == 0; i++) {
		char text[PCI_TEXT_MAX], line[64];

		str_format(line, sizeof(line), "*/%s) echo ban=true ;;\n", pci_format(&pci[i], text));
		r = append(buf, size, &at, line);
	}
	return r < 0 ? r : append(buf, size, &at, "esac\nexit 0\n");
}
