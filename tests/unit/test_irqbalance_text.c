/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What irqbalance is sent and answers, and the lists of interrupts in it. */
#include "apply/irqbalance_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/t.h"

static struct irq_list list_of(const unsigned *irq, unsigned count)
{
	struct irq_list list = { .count = 0 };

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(irq_list_add(&list, irq[i]), 0);
	return list;
}

#define LIST(...) list_of((const unsigned[]){ __VA_ARGS__ }, ARRAY_SIZE(((const unsigned[]){ __VA_ARGS__ })))

static void assert_list(const struct irq_list *list, const char *text)
{
	char is[256] = "";

	for (unsigned i = 0; i < list->count; i++)
		str_append(is, sizeof(is), "%s%u", i ? " " : "", list->irq[i]);
	assert_string_equal(is, text);
}

static void a_list_is_sorted_and_has_each_number_once(void **state)
{
	struct irq_list list = LIST(100, 7, 99, 7, 0, 100), more = LIST(8, 7, 101), gone = LIST(0, 99, 500);

	(void)state;
	assert_list(&list, "0 7 99 100");
	assert_false(irq_list_is_subset(&more, &list));
	assert_int_equal(irq_list_add_all(&list, &more), 0);
	assert_list(&list, "0 7 8 99 100 101");
	assert_true(irq_list_is_subset(&more, &list));
	irq_list_remove_all(&list, &gone);
	assert_list(&list, "7 8 100 101");
	assert_true(irq_list_has(&list, 101));
	assert_false(irq_list_has(&list, 99));
	assert_false(irq_list_equal(&list, &more));
}

static void a_full_list_says_so(void **state)
{
	static struct irq_list list;

	(void)state;
	for (unsigned i = 0; i < IRQ_LIST_MAX; i++)
		assert_int_equal(irq_list_add(&list, i * 2), 0);
	assert_int_equal(irq_list_add(&list, 1), -E2BIG);
	assert_int_equal(irq_list_add(&list, 2), 0);
	assert_int_equal(list.count, IRQ_LIST_MAX);
}

static void a_command_has_the_whole_list_and_a_nul(void **state)
{
	struct irq_list list = LIST(1003, 43, 0), none = { .count = 0 };
	char command[IRQBALANCE_COMMAND_MAX];

	(void)state;
	/* A 0 elsewhere than in front would end it for the daemon. */
	assert_int_equal(irqbalance_ban_command(&list, command), sizeof("settings ban irqs 0 43 1003"));
	assert_string_equal(command, "settings ban irqs 0 43 1003");
	assert_int_equal(irqbalance_ban_command(&none, command), sizeof("settings ban irqs NONE"));
	assert_string_equal(command, "settings ban irqs NONE");
}

static void a_command_is_never_longer_than_what_is_read_of_it(void **state)
{
	char command[IRQBALANCE_COMMAND_MAX];
	struct irq_list list = { .count = 0 }, last = LIST(8);

	(void)state;
	for (unsigned i = 0; i < 96; i++) /* 17 + 96 * 5 + NUL = 498 */
		assert_int_equal(irq_list_add(&list, 1000 + i), 0);
	assert_int_equal(irqbalance_ban_command(&list, command), 498);
	assert_int_equal(irq_list_add(&list, 8), 0); /* and " 8": 500, the last that fits */
	assert_int_equal(irqbalance_ban_command(&list, command), 500);
	irq_list_remove_all(&list, &last);
	assert_int_equal(irq_list_add(&list, 10), 0);
	assert_int_equal(irqbalance_ban_command(&list, command), -E2BIG);
}

static void an_answer_is_read_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *list;
	} row[] = {
		{ "SLEEP 10 BANNED 00000000", 0, "" },
		{ "SLEEP 10 IRQ 28 LOAD 0 DIFF 0 CLASS 0 IRQ 29 LOAD 1 DIFF 18446744073709551615 CLASS 7 "
		  "BANNED ff,00000000",
		  0, "28 29" },
		{ "SLEEP 1 IRQ 29 LOAD 0 DIFF 0 CLASS 0 IRQ 28 LOAD 0 DIFF 0 CLASS 0 BANNED 0", 0, "28 29" },
		{ "SLEEP 1 IRQ 0 LOAD 0 DIFF 0 CLASS 0 BANNED 0", 0, "0" },
		{ "", -EPROTO, NULL },
		{ "SLEEP", -EPROTO, NULL },
		{ "SLEEP 10 ", -EPROTO, NULL },
		{ "SLEEP 10 BANNED ", -EPROTO, NULL },
		{ "SLEEP 10 BANNED", -EPROTO, NULL },
		{ "SLEEP 10 BANNED 0 ", -EPROTO, NULL },
		{ "SLEEP 10 BANNED zz", -EPROTO, NULL },
		{ "SLEEP -1 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 28 LOAD 0 DIFF 0 CLASS 0 IRQ 2", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 28 LOAD 0 DIFF 0 CLASS 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 28 LOAD 0 DIFF 0 CLASS 0 ", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 28 29 LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ -28 LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 4294967324 LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 99999999999999999999 LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10 IRQ 28x LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "SLEEP 10  IRQ 28 LOAD 0 DIFF 0 CLASS 0 BANNED 0", -EPROTO, NULL },
		{ "sleep 10 BANNED 0", -EPROTO, NULL },
		{ "TYPE 0 NUMBER 0 LOAD 0 SAVE_MODE 0 ", -EPROTO, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct irq_list list = LIST(12345);

		assert_int_equal(irqbalance_parse_setup(row[i].text, strlen(row[i].text), &list), row[i].r);
		if (row[i].list)
			assert_list(&list, row[i].list);
	}
}

static void an_answer_with_a_nul_or_too_much_in_it_is_refused(void **state)
{
	static const char nul[] = "SLEEP 10 BANNED 0\0 IRQ 28";
	static char large[(IRQ_LIST_MAX + 1) * 48] = "SLEEP 10 ";
	static struct irq_list list;
	size_t at = strlen(large);

	(void)state;
	assert_int_equal(irqbalance_parse_setup(nul, sizeof(nul) - 1, &list), -EPROTO);
	for (unsigned i = 0; i <= IRQ_LIST_MAX; i++)
		at += (size_t)sprintf(large + at, "IRQ %u LOAD 0 DIFF 0 CLASS 0 ", i);
	strcpy(large + at, "BANNED 0");
	assert_int_equal(irqbalance_parse_setup(large, strlen(large), &list), -E2BIG);
}

/* The script's answer, as the daemon runs it. */
static void assert_script_says(const char *script, const char *path, const char *text)
{
	char command[2048], is[64] = "";
	FILE *f;

	assert_true(snprintf(command, sizeof(command), "sh -s %s 42 <<'END'\n%s\nEND\n", path, script) <
		    (int)sizeof(command));
	f = popen(command, "r");
	assert_non_null(f);
	is[fread(is, 1, sizeof(is) - 1, f)] = '\0';
	assert_int_equal(pclose(f), 0); /* else the daemon ignores what it said */
	assert_string_equal(is, text);
}

static void the_policy_script_bans_these_functions_and_no_other(void **state)
{
	const struct pci_addr pci[] = { { .bus = 0x29 }, { .bus = 0x29, .function = 1 } };
	char script[1024];

	(void)state;
	assert_int_equal(irqbalance_policy_script(pci, 2, script, sizeof(script)), 0);
	assert_script_says(script, "/sys/bus/pci/devices/0000:29:00.0", "ban=true\n");
	assert_script_says(script, "/sys/bus/pci/devices/0000:29:00.1", "ban=true\n");
	assert_script_says(script, "/sys/bus/pci/devices/0000:29:01.0", "");
	assert_script_says(script, "/sys", "");
	assert_int_equal(irqbalance_policy_script(pci, 0, script, sizeof(script)), 0);
	assert_script_says(script, "/sys/bus/pci/devices/0000:29:00.0", "");
}

static void a_script_that_does_not_fit_is_none(void **state)
{
	const struct pci_addr pci[] = { { .bus = 0x29 } };
	char script[1024];
	size_t length;

	(void)state;
	assert_int_equal(irqbalance_policy_script(pci, 1, script, sizeof(script)), 0);
	length = strlen(script);
	for (size_t size = 0; size <= length; size++)
		assert_int_equal(irqbalance_policy_script(pci, 1, script, size), -ENOSPC);
	assert_int_equal(irqbalance_policy_script(pci, 1, script, length + 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_sorted_and_has_each_number_once),
		cmocka_unit_test(a_full_list_says_so),
		cmocka_unit_test(a_command_has_the_whole_list_and_a_nul),
		cmocka_unit_test(a_command_is_never_longer_than_what_is_read_of_it),
		cmocka_unit_test(an_answer_is_read_whole_or_not_at_all),
		cmocka_unit_test(an_answer_with_a_nul_or_too_much_in_it_is_refused),
		cmocka_unit_test(the_policy_script_bans_these_functions_and_no_other),
		cmocka_unit_test(a_script_that_does_not_fit_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
