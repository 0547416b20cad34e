/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text output, from results built by hand. */
#include "unit/report_world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/align.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the text: %s\n%s", part, text);
}

static void text_is_printable_ascii_whatever_the_names_are(void **state)
{
	struct world *w = *state;

	world_fill_hostile(w);
	for (unsigned show = 0; show < 2; show++) {
		w->result.command = show ? "show" : "connect";
		world_text(w, show ? "hostile-show" : "hostile");
		for (const char *at = w->text; *at != '\0'; at++)
			assert_true((*at >= ' ' && *at <= '~') || *at == '\n');
	}
	assert_has(w->text, "a\"b\\\\c\\x0a\\x1b[2J\\x7f\\xff\\xc0\\xaf\\xe2\\x82\\xac\\xc2\\x9b");
}

static void text_aligns_the_columns_of_each_section(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	text_align("title\na\tbbbb\tc\t\nheading that is long\naaa\tb\t\n\nx\ty\t\n", out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "title\n  a    bbbb  c\nheading that is long\n  aaa  b\n\n  x  y\n");
	free(text);
}

static void text_of_show_has_ports_bonds_and_condensed_queues(void **state)
{
	struct world *w = *state;
	struct path *path;

	world_add_irqs(w, 4);
	world_add_bond(w);
	world_add_addr(w, 10, "10.10.1.1", 24);
	world_add_addr(w, 10, "10.10.2.1", 24);
	w->classes->port[1].unusable = UNUSABLE_LINK_DOWN;
	path = world_add_path(w, 16, "fd00::2");
	path->action = PATH_NONE;
	path->owner = OWNER_OTHER;
	path->netdev = w->classes->bond[0].netdev;
	w->result.command = "show";
	world_text(w, "show");
	assert_has(w->text, "dgx-h100 (NVIDIA DGXH100), initiator host-cpu\n");
	assert_has(w->text,
		   "  0000:29:00.0  storage  -          enp41s0f0np0  mlx5_1  active  200 Gb/s  0     "
		   "10.10.1.1/24 +1  platform dgx-h100: a reason  in bond0\n");
	assert_has(w->text, "unusable: link-down, in bond0\n");
	assert_has(w->text, "  bond0   active-backup  0000:29:00.0,0000:29:00.1  0000:29:00.1");
	assert_has(w->text, "10.10.1.1 -> [fd00::2]:4420");
	assert_has(w->text, "16 on CPUs 52-55, local  via bond0, owner other\n");
	assert_has(w->text, "show: ok; 1 of 2 storage ports usable; 1 path\n");
	w->queues->queue[3].local = TRI_NO;
	assert_has(world_text(w, "show-remote"), "16 on CPUs 52-55, 15 of 16 local");
	path->owner = OWNER_REGISTERED;
	PUT(path->registered, "stas");
	assert_has(world_text(w, "show-registered"), "via bond0, owner stas\n");
}

static void text_of_connect_ends_in_a_summary(void **state)
{
	static const struct bandwidth bandwidth = { .given_mbps = 200000, .possible_mbps = 400000 };
	struct world *w = *state;
	struct path *path;

	world_add_path(w, 16, "10.10.1.2");
	path = world_add_path(w, 0, "10.10.1.3");
	path->action = PATH_FAILED;
	path->proof = PROOF_NONE;
	path->ctrl = -1;
	path->reason = PATH_NO_ANSWER;
	PUT(path->message, "no answer from 10.10.1.3 within 5 s");
	PUT(w->plan->skip[0].traddr, "10.10.5.2");
	PUT(w->plan->skip[0].trsvcid, "4420");
	PUT(w->plan->skip[0].nqn, NQN);
	PUT(w->plan->skip[0].message, "the route leaves through eno3, which is no storage port");
	w->plan->skips = 1;
	w->result.exit = XC_PARTIAL;
	w->result.changed = true;
	w->result.bandwidth = &bandwidth;
	world_text(w, "connect");
	assert_has(w->text,
		   "\n  " NQN "\n    connected  nvme0       live   nvme0n1  10.10.1.1 -> 10.10.1.2:4420");
	assert_has(w->text, "no-answer: no answer from 10.10.1.3 within 5 s\n");
	assert_has(w->text, "\nskipped\n  10.10.5.2:4420  " NQN "  not-via-storage  the route");
	assert_has(
		w->text,
		"\nconnect: partial; 2 paths (1 connected, 1 failed); 1 skipped; 200 of 400 Gb/s; changed\n");
	world_json(w, "connect");
}

static void text_of_findings_begins_with_what_fails(void **state)
{
	struct world *w = *state;
	const char *fails, *warns, *unknown;

	finding_add(w->findings, FINDING_UNKNOWN, "a.a", "x", "", "unreadable");
	finding_add(w->findings, FINDING_WARN, "b.b", "x", "", "odd");
	finding_add(w->findings, FINDING_PASS, "c.c", "x", "", "quiet");
	finding_add(w->findings, FINDING_FAIL, "d.d", "x", "seen", "broken");
	fails = strstr(world_text(w, "findings"), "broken (seen)");
	warns = strstr(w->text, "odd");
	unknown = strstr(w->text, "unreadable");
	assert_true(fails && warns && unknown && fails < warns && warns < unknown);
	assert_null(strstr(w->text, "quiet"));
	assert_has(w->text, "\n1 fail, 1 warn, 1 unknown, 1 pass\n");
	world_json(w, "findings");
}

static void text_says_that_findings_were_lost(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i <= FINDINGS_MAX; i++)
		finding_add(w->findings, FINDING_WARN, "ports.link", "", "", "%u", i);
	assert_has(world_text(w, "lost"), "\n1024 warn, 1 more that do not fit into the list\n");
}

static void text_says_what_the_machine_is_when_no_platform_fits(void **state)
{
	struct world *w = *state;

	w->result.platform = NULL;
	PUT(w->topo->dmi.sys_vendor, "ACME");
	assert_has(world_text(w, "unknown-platform"),
		   "unknown platform (DMI: vendor \"ACME\", product \"\")\n");
}

static void a_full_disk_is_an_error(void **state)
{
	struct world *w = *state;
	FILE *out = fopen("/dev/full", "we");

	if (!out)
		skip();
	assert_int_equal(report_text(&w->result, out), -ENOSPC);
	(void)fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(text_is_printable_ascii_whatever_the_names_are),
		WORLD_TEST(text_aligns_the_columns_of_each_section),
		WORLD_TEST(text_of_show_has_ports_bonds_and_condensed_queues),
		WORLD_TEST(text_of_connect_ends_in_a_summary),
		WORLD_TEST(text_of_findings_begins_with_what_fails),
		WORLD_TEST(text_says_that_findings_were_lost),
		WORLD_TEST(text_says_what_the_machine_is_when_no_platform_fits),
		WORLD_TEST(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
