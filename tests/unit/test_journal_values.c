/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's records of interrupts and bans: their lines, and which values they come to. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/fakefx.h"
#include "lib/t.h"

#define PATH JOURNAL_DIR "/" JOURNAL_FILE
#define HEAD "{\"journal\":1,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"" PACKAGE_VERSION "\"}\n"
#define BEGIN "{\"run\":1,\"begin\":\"connect\",\"argv\":[],\"pid\":7}\n"
#define NAME "mlx5_comp0@pci:0000:29:00.0"
#define OF(what) "\"pci\":\"0000:29:00.0\",\"irq_name\":\"" NAME "\"" what
#define LINE(kind, object, before, after, state)                                                 \
	"{\"run\":1,\"step\":1,\"kind\":\"" kind "\",\"object\":{" object "},\"before\":" before \
	",\"after\":" after ",\"state\":\"" state "\"}\n"
#define IRQ(before, after, state) LINE("irq-affinity", OF(",\"irq\":43"), before, after, state)
#define BAN(daemon, before, after, state) \
	LINE("irqbalance-ban", OF(",\"irq\":43,\"daemon\":" daemon), before, after, state)

struct bench {
	struct root root;
	struct findings findings;
	struct err err;
	struct journal *journal;
	struct journal_data data;
	struct journal_values *values;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->values = calloc(1, sizeof(*b->values));
	fake_root_open(&b->root);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	journal_close(b->journal);
	journal_data_free(&b->data);
	fake_root_close(&b->root);
	free(b->values);
	free(b);
	return 0;
}

static int read_text(struct bench *b, const char *text)
{
	fake_root_write(&b->root, PATH, text);
	b->err = (struct err){ 0 };
	journal_data_free(&b->data);
	return journal_read(&b->root, &b->data, &b->err);
}

static void begin(struct bench *b)
{
	b->err = (struct err){ 0 };
	assert_int_equal(journal_open(&b->root, 0, &b->journal, &b->findings, &b->err), 0);
	assert_int_equal(journal_begin(b->journal, "connect", 0, NULL, &b->err), 0);
}

static void end(struct bench *b, bool remove)
{
	assert_int_equal(journal_end(b->journal, XC_OK, remove, &b->err), 0);
	journal_close(b->journal);
	b->journal = NULL;
}

static void step_of(struct step *step, enum step_kind kind, unsigned i)
{
	*step = (struct step){ .kind = kind, .pci = { .bus = 0x29 }, .irq_number = 43 + i };
	str_format(step->irq_name, sizeof(step->irq_name), "mlx5_comp%u@pci:0000:29:00.0", i);
	if (kind == STEP_IRQ_AFFINITY)
		cpuset_add(&step->cores, 0);
}

/* --- lines ------------------------------------------------------------------------------------------------
 */

static void the_lines_are_as_documented(void **state)
{
	static const char lines[] = IRQ("\"0,4-7\"", "\"52\"", "intent") IRQ("\"0,4-7\"", "\"52\"", "done")
		BAN("null", "\"free\"", "\"banned\"", "intent")
			BAN("1764596790123456789", "\"free\"", "\"banned\"", "done");
	struct journal_after is = { .state = "52", .cntlid = -1 };
	struct bench *b = *state;
	struct step step;
	char *text;

	begin(b);
	step_of(&step, STEP_IRQ_AFFINITY, 0);
	cpuset_add(&step.to, 52);
	assert_int_equal(journal_intent(b->journal, &step, 1, "0,4-7", &b->err), 0);
	assert_int_equal(journal_outcome(b->journal, &step, 1, JOURNAL_DONE, "0,4-7", &is, &b->err), 0);
	step_of(&step, STEP_IRQBALANCE_BAN, 0);
	cpuset_add(&step.to, 0);
	assert_int_equal(journal_intent(b->journal, &step, 1, "free", &b->err), 0);
	step.daemon = 1764596790123456789;
	is.state = "banned";
	assert_int_equal(journal_outcome(b->journal, &step, 1, JOURNAL_DONE, "free", &is, &b->err), 0);
	end(b, false);
	text = fake_root_read(&b->root, PATH);
	assert_non_null(strstr(text, lines));
	free(text);
	assert_int_equal(read_text(b, HEAD BEGIN IRQ("\"0,4-7\"", "\"52\"", "done")
					      BAN("1764596790123456789", "\"banned\"", "\"free\"", "intent")),
			 0);
	assert_int_equal(b->data.records, 3);
	assert_int_equal(b->data.rec[1].kind, STEP_IRQ_AFFINITY);
	assert_int_equal(b->data.rec[1].pci.bus, 0x29);
	assert_string_equal(b->data.rec[1].irq_name, NAME);
	assert_string_equal(b->data.rec[1].before, "0,4-7");
	assert_int_equal(b->data.rec[2].irq_number, 43);
	assert_int_equal(b->data.rec[2].daemon, 1764596790123456789);
}

static void what_is_no_line_of_an_interrupt_is_refused(void **state)
{
	static const char *const bad[] = {
		IRQ("\"0\"", "null", "intent"), /* where it is to go is part of it */
		IRQ("null", "\"52\"", "intent"),
		IRQ("\"\"", "\"52\"", "intent"),
		IRQ("\"0\"", "\"\"", "done"),
		IRQ("\"absent\"", "\"52\"", "done"),
		IRQ("\"0\"", "\"absent\"", "intent"),
		IRQ("\"0\"", "\"absent\"", "undone"),
		IRQ("\"1,0\"", "\"52\"", "intent"), /* not as the kernel writes it */
		IRQ("\"0, 1\"", "\"52\"", "intent"),
		IRQ("\"0-0\"", "\"52\"", "intent"),
		IRQ("\"00\"", "\"52\"", "intent"),
		IRQ("\"0\"", "\"2048\"", "intent"),
		IRQ("\"0\"", "\"52\\n\"", "intent"),
		IRQ("\"0\"", "\"banned\"", "intent"),
		IRQ("0", "52", "intent"),
		LINE("irq-affinity", OF(""), "\"0\"", "\"52\"", "intent"),
		LINE("irq-affinity", OF(",\"irq\":0"), "\"0\"", "\"52\"", "intent"),
		LINE("irq-affinity", OF(",\"irq\":43,\"daemon\":1"), "\"0\"", "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\"", "\"0\"", "\"52\"", "intent"),
		LINE("irq-affinity", "\"irq_name\":\"" NAME "\",\"irq\":43", "\"0\"", "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0:29:0.0\",\"irq_name\":\"" NAME "\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.A\",\"irq_name\":\"x\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:2F:00.0\",\"irq_name\":\"x\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\",\"irq_name\":\"\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\",\"irq_name\":\"a b\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\",\"irq_name\":\"a\\\"b\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\",\"irq_name\":\"a'b\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		LINE("irq-affinity", "\"pci\":\"0000:29:00.0\",\"irq_name\":\"a\\u0007\",\"irq\":43", "\"0\"",
		     "\"52\"", "intent"),
		BAN("null", "\"free\"", "null", "intent"),
		BAN("null", "\"free\"", "\"absent\"", "done"),
		BAN("null", "\"0\"", "\"banned\"", "intent"),
		BAN("0", "\"free\"", "\"banned\"", "done"),
		BAN("-1", "\"free\"", "\"banned\"", "done"),
		BAN("9223372036854775808", "\"free\"", "\"banned\"", "done"),
		BAN("\"1\"", "\"free\"", "\"banned\"", "done"),
		LINE("irqbalance-ban", OF(",\"daemon\":1"), "\"free\"", "\"banned\"", "done"),
		LINE("irqbalance-ban", OF(",\"irq\":0,\"daemon\":1"), "\"free\"", "\"banned\"", "done"),
		LINE("irqbalance-ban", OF(",\"irq\":4294967296,\"daemon\":1"), "\"free\"", "\"banned\"",
		     "done"),
		LINE("irqbalance-ban", OF(",\"irq\":43,\"daemon\":1,\"x\":1"), "\"free\"", "\"banned\"",
		     "done"),
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[1024];

		(void)snprintf(text, sizeof(text), "%s%s%s", HEAD, BEGIN, bad[i]);
		if (read_text(b, text) != -EBADMSG)
			fail_msg("case %zu was taken", i);
		assert_non_null(strstr(b->err.msg, "line 3"));
	}
}

static void what_the_reader_would_refuse_is_not_written(void **state)
{
	struct journal_after after = { .state = "52", .cntlid = -1 };
	struct bench *b = *state;
	struct step step;

	begin(b);
	step_of(&step, STEP_IRQ_AFFINITY, 0);
	assert_int_equal(journal_intent(b->journal, &step, 1, "0", &b->err), -EINVAL); /* to nowhere */
	cpuset_add(&step.to, 52);
	assert_int_equal(journal_intent(b->journal, &step, 1, "0,", &b->err), -EINVAL);
	after.state = "absent";
	assert_int_equal(journal_outcome(b->journal, &step, 1, JOURNAL_UNDONE, "0", &after, &b->err),
			 -EINVAL);
	str_format(step.irq_name, sizeof(step.irq_name), "a\"b");
	assert_int_equal(journal_intent(b->journal, &step, 1, "0", &b->err), -EINVAL);
	for (unsigned cpu = 0; cpu < 400; cpu += 2)
		cpuset_add(&step.to, cpu);
	assert_true(journal_intent(b->journal, &step, 1, "0", &b->err) < 0);
	step_of(&step, STEP_IRQBALANCE_BAN, 0);
	step.daemon = INT64_MAX;
	assert_int_equal(journal_intent(b->journal, &step, 1, "banned", &b->err), -EINVAL);
	step.daemon = 0;
	step.irq_number = 0;
	assert_int_equal(journal_intent(b->journal, &step, 1, "banned", &b->err), -EINVAL);
	end(b, false);
	assert_false(root_exists(&b->root, PATH));
}

/* --- values ------------------------------------------------------------------------------------------------
 */

/*
 * Records of one interrupt as "i0>52 d0>52": intent, done, undone; before and after, "-" for absent. Then the
 * value as "52|0<0": last, before_last, original; "" if there is none.
 */
static const char *value_of(struct bench *b, const char *records, char buf[static 64])
{
	char text[4096] = HEAD BEGIN, copy[256], *rest = NULL;
	const struct journal_value *value = &b->values->value[0];

	str_format(copy, sizeof(copy), "%s", records);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		char *after = strchr(at, '>');

		*after++ = '\0';
		str_append(text, sizeof(text), IRQ("\"%s\"", "\"%s\"", "%s"), at + 1,
			   *after == '-' ? "absent" : after,
			   *at == 'i'	? "intent"
			   : *at == 'd' ? "done"
					: "undone");
	}
	assert_int_equal(read_text(b, text), 0);
	assert_int_equal(journal_values(&b->data, b->values), 0);
	assert_int_equal(
		journal_has_value(&b->data, STEP_IRQ_AFFINITY, &(struct pci_addr){ .bus = 0x29 }, NAME, 0),
		b->values->count);
	buf[0] = '\0';
	if (b->values->count > 0)
		str_format(buf, 64, "%u|%u<%u", cpuset_next(&value->last, 0),
			   cpuset_next(&value->before_last, 0), cpuset_next(&value->original, 0));
	return buf;
}

static void a_chain_begins_with_what_was_there_and_ends_where_it_is_back(void **state)
{
	static const struct {
		const char *records, *value;
	} cases[] = {
		{ "", "" },
		{ "i0>52", "52|0<0" },
		{ "i0>52 d0>52", "52|52<0" },
		{ "i0>52 u0>0", "" },
		{ "i0>52 d0>-", "" },
		{ "d0>52", "52|52<0" },
		{ "u0>0", "" },
		/* Moved on. */
		{ "i0>52 d0>52 i52>53", "53|52<0" },
		{ "i0>52 d0>52 i52>53 d52>53", "53|53<0" },
		{ "i0>52 d0>52 i52>53 u52>52", "52|52<0" },
		{ "i0>52 d0>52 i52>53 u52>52 i52>54 u52>52", "52|52<0" },
		{ "i0>52 i52>53", "53|52<0" }, /* killed, and killed again */
		{ "i0>52 i52>53 u52>52", "52|0<0" },
		{ "i0>52 d0>52 i52>53 i52>53", "53|52<0" },
		{ "i0>52 d0>52 i52>53 i53>54", "54|53<0" },
		/* After somebody else: what was first stays what it goes back to. */
		{ "i0>52 d0>52 i9>53", "53|53<0" },
		{ "i0>52 d0>52 i9>53 d9>53", "53|53<0" },
		{ "i0>52 d0>52 i9>53 u9>9", "52|52<0" },
		/* Put back. */
		{ "i0>52 d0>52 i52>0", "0|52<0" },
		{ "i0>52 d0>52 i52>0 d52>0", "" },
		{ "i0>52 d0>52 i52>0 u52>52", "52|52<0" },
		{ "i0>52 d0>52 d0>0", "" },
		{ "i0>52 d0>52 d52>-", "" },
		{ "i0>52 d0>52 i52>0 d52>0 i9>52 d9>52", "52|52<9" },
		/* Half back: a rollback of the second move alone. */
		{ "i0>52 d0>52 i52>53 d52>53 i53>52 d53>52", "52|52<0" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(value_of(b, cases[i].records, text), cases[i].value) != 0)
			fail_msg("%s is %s, not %s", cases[i].records, text, cases[i].value);
	}
}

/* As value_of(): "i0>b d7>b", with the daemon (0: null) and what it is to be, banned or free. */
static const char *ban_of(struct bench *b, const char *records, char buf[static 64])
{
	char text[4096] = HEAD BEGIN, copy[256], *rest = NULL;

	str_format(copy, sizeof(copy), "%s", records);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		bool ban = at[3] == 'b';
		char daemon[8] = { at[1] };

		str_append(text, sizeof(text), BAN("%s", "\"%s\"", "\"%s\"", "%s"),
			   at[1] == '0' ? "null" : daemon, ban ? "free" : "banned",
			   ban == (at[0] != 'u') ? "banned" : "free",
			   at[0] == 'i'	  ? "intent"
			   : at[0] == 'd' ? "done"
					  : "undone");
	}
	assert_int_equal(read_text(b, text), 0);
	assert_int_equal(journal_values(&b->data, b->values), 0);
	assert_int_equal(journal_has_value(&b->data, STEP_IRQBALANCE_BAN, NULL, NULL, 43), b->values->count);
	assert_false(journal_has_value(&b->data, STEP_IRQBALANCE_BAN, NULL, NULL, 44));
	buf[0] = '\0';
	if (b->values->count > 0)
		str_format(buf, 64, "%u of %u", b->values->value[0].irq_number,
			   (unsigned)b->values->value[0].daemon);
	return buf;
}

static void a_ban_is_ours_until_it_is_lifted(void **state)
{
	static const struct {
		const char *records, *value;
	} cases[] = {
		{ "i0>b", "43 of 0" },
		{ "i0>b u0>b", "" },
		{ "i0>b d7>b", "43 of 7" },
		{ "i0>b d7>b i7>f", "43 of 7" },
		{ "i0>b d7>b i7>f u7>f", "43 of 7" },
		{ "i0>b d7>b i7>f d7>f", "" },
		{ "i0>b d7>b i0>b", "43 of 0" }, /* of another daemon */
		{ "i0>b d7>b i0>b u0>b", "43 of 7" },
		{ "i0>b d7>b i0>b d8>b", "43 of 8" },
		{ "i0>b d7>b i0>b d8>b i8>f d8>f", "" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(ban_of(b, cases[i].records, text), cases[i].value) != 0)
			fail_msg("%s is %s, not %s", cases[i].records, text, cases[i].value);
	}
}

static void outcome(struct bench *b, enum step_kind kind, unsigned i, bool back)
{
	struct journal_after after = { .cntlid = -1 };
	struct step step;

	step_of(&step, kind, i);
	if (kind == STEP_IRQBALANCE_BAN)
		after.state = back ? "free" : "banned";
	else
		after.state = back ? "0" : "52";
	assert_int_equal(journal_outcome(b->journal, &step, i + 1, JOURNAL_DONE,
					 kind == STEP_IRQBALANCE_BAN ? back ? "banned" : "free"
					 : back			     ? "52"
								     : "0",
					 &after, &b->err),
			 0);
}

static void each_value_has_its_chain_the_oldest_first(void **state)
{
	struct bench *b = *state;

	begin(b);
	outcome(b, STEP_IRQ_AFFINITY, 2, false);
	outcome(b, STEP_IRQBALANCE_BAN, 0, false);
	outcome(b, STEP_IRQ_AFFINITY, 0, false);
	outcome(b, STEP_IRQ_AFFINITY, 1, false);
	outcome(b, STEP_IRQ_AFFINITY, 2, true);
	outcome(b, STEP_IRQ_AFFINITY, 0, false);
	outcome(b, STEP_IRQ_AFFINITY, 2, false);
	assert_int_equal(journal_values(journal_data(b->journal), b->values), 0);
	assert_int_equal(b->values->count, 4);
	assert_int_equal(b->values->value[0].kind, STEP_IRQBALANCE_BAN);
	assert_string_equal(b->values->value[1].irq_name, NAME);
	assert_string_equal(b->values->value[2].irq_name, "mlx5_comp1@pci:0000:29:00.0");
	assert_string_equal(b->values->value[3].irq_name, "mlx5_comp2@pci:0000:29:00.0");
}

static void the_file_goes_only_with_the_last_value(void **state)
{
	struct bench *b = *state;

	begin(b);
	outcome(b, STEP_IRQ_AFFINITY, 0, false);
	outcome(b, STEP_IRQBALANCE_BAN, 0, false);
	end(b, true);
	begin(b);
	outcome(b, STEP_IRQ_AFFINITY, 0, true);
	end(b, true);
	assert_true(root_exists(&b->root, PATH));
	begin(b);
	outcome(b, STEP_IRQBALANCE_BAN, 0, true);
	end(b, false);
	assert_true(root_exists(&b->root, PATH));
	begin(b);
	end(b, true);
	assert_false(root_exists(&b->root, PATH));
}

static void controllers_and_interrupts_are_told_apart(void **state)
{
	static struct journal_claims claims;
	struct journal_after live = { .state = "live", .cntlid = 1, .inode = 11 };
	struct bench *b = *state;
	struct step ctrl;

	begin(b);
	fake_step(&ctrl, 0);
	assert_int_equal(journal_intent(b->journal, &ctrl, 1, "absent", &b->err), 0);
	assert_int_equal(journal_outcome(b->journal, &ctrl, 1, JOURNAL_DONE, "absent", &live, &b->err), 0);
	outcome(b, STEP_IRQ_AFFINITY, 0, false);
	outcome(b, STEP_IRQ_AFFINITY, 0, true);
	assert_int_equal(journal_claims(journal_data(b->journal), &claims), 0);
	assert_int_equal(claims.count, 1);
	assert_true(journal_owns(journal_data(b->journal), &ctrl.id, 11));
	assert_int_equal(journal_values(journal_data(b->journal), b->values), 0);
	assert_int_equal(b->values->count, 0);
	end(b, true);
	assert_true(root_exists(&b->root, PATH));
}

static void there_is_a_limit_to_values(void **state)
{
	struct bench *b = *state;
	struct journal_data data = { .records = JOURNAL_VALUES_MAX + 1 };

	data.rec = calloc(data.records, sizeof(*data.rec));
	for (unsigned i = 0; i < data.records; i++) {
		data.rec[i].type = JOURNAL_STEP;
		data.rec[i].kind = STEP_IRQBALANCE_BAN;
		data.rec[i].irq_number = i + 1;
	}
	assert_int_equal(journal_values(&data, b->values), -E2BIG);
	assert_int_equal(b->values->count, JOURNAL_VALUES_MAX);
	free(data.rec);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_lines_are_as_documented),
		TEST(what_is_no_line_of_an_interrupt_is_refused),
		TEST(what_the_reader_would_refuse_is_not_written),
		TEST(a_chain_begins_with_what_was_there_and_ends_where_it_is_back),
		TEST(a_ban_is_ours_until_it_is_lifted),
		TEST(each_value_has_its_chain_the_oldest_first),
		TEST(the_file_goes_only_with_the_last_value),
		TEST(controllers_and_interrupts_are_told_apart),
		TEST(there_is_a_limit_to_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
