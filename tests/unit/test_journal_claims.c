/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the records of a journal come to, the room that it keeps for them, and when it goes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/fakefx.h"
#include "lib/t.h"

#define PATH JOURNAL_DIR "/" JOURNAL_FILE
#define HEAD "{\"journal\":1,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"" PACKAGE_VERSION "\"}\n"
#define RECORDS_SPARE 4 /* of journal.c */

struct bench {
	struct root root;
	struct findings findings;
	struct err err;
	struct journal *journal;
	struct journal_claims *claims;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->claims = calloc(1, sizeof(*b->claims));
	fake_root_open(&b->root);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	journal_close(b->journal);
	fake_root_close(&b->root);
	free(b->claims);
	free(b);
	return 0;
}

static void begin(struct bench *b)
{
	char *argv[] = { (char[]){ "connect" } };

	journal_close(b->journal);
	b->journal = NULL;
	b->err = (struct err){ 0 };
	assert_int_equal(journal_open(&b->root, 0, &b->journal, &b->findings, &b->err), 0);
	assert_int_equal(journal_begin(b->journal, "connect", 1, argv, &b->err), 0);
}

static void step_of(struct step *step, enum step_kind kind, unsigned object)
{
	fake_step(step, object % 200);
	str_format(step->id.trsvcid, sizeof(step->id.trsvcid), "%u", 4420 + object / 200);
	step->kind = kind;
}

static int intent(struct bench *b, enum step_kind kind, unsigned object)
{
	struct step step;

	step_of(&step, kind, object);
	return journal_intent(b->journal, &step, object + 1, "absent", &b->err);
}

static int outcome(struct bench *b, enum step_kind kind, unsigned object, enum journal_state state,
		   uint64_t inode)
{
	struct journal_after after = { .state = inode ? "live" : "absent", .cntlid = -1, .inode = inode };
	struct step step;

	step_of(&step, kind, object);
	return journal_outcome(b->journal, &step, object + 1, state, "absent", &after, &b->err);
}

static void connect_done(struct bench *b, unsigned object, uint64_t inode)
{
	assert_int_equal(intent(b, STEP_NVME_CONNECT, object), 0);
	assert_int_equal(outcome(b, STEP_NVME_CONNECT, object, JOURNAL_DONE, inode), 0);
}

/* The claims as "0:4711 1:0": object and inode, the oldest first. */
static const char *claims_of(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	assert_int_equal(journal_claims(journal_data(b->journal), b->claims), 0);
	for (unsigned i = 0; i < b->claims->count; i++) {
		struct step step;
		unsigned object = 0;

		do
			step_of(&step, STEP_NVME_CONNECT, object++);
		while (!ctrl_id_equal(&step.id, &b->claims->claim[i].id));
		str_append(buf, 64, "%s%u:%u", i ? " " : "", object - 1, (unsigned)b->claims->claim[i].inode);
	}
	return buf;
}

static bool owns(struct bench *b, unsigned object, uint64_t inode)
{
	struct step step;

	step_of(&step, STEP_NVME_CONNECT, object);
	return journal_owns(journal_data(b->journal), &step.id, inode);
}

/* --- what is claimed --------------------------------------------------------------------------------------
 */

static void claims_are_the_connects_that_nothing_closed_the_oldest_first(void **state)
{
	static const enum step_kind up = STEP_NVME_CONNECT, down = STEP_NVME_DISCONNECT;
	struct bench *b = *state;
	char text[64];

	begin(b);
	assert_string_equal(claims_of(b, text), "");
	assert_int_equal(intent(b, up, 2), 0);
	assert_string_equal(claims_of(b, text), "2:0");
	connect_done(b, 0, 11);
	assert_int_equal(outcome(b, up, 2, JOURNAL_DONE, 12), 0); /* its age is that of its last record */
	assert_string_equal(claims_of(b, text), "0:11 2:12");
	assert_int_equal(intent(b, up, 1), 0);
	assert_int_equal(outcome(b, up, 1, JOURNAL_UNDONE, 0), 0);
	assert_string_equal(claims_of(b, text), "0:11 2:12");
	assert_int_equal(intent(b, down, 0), 0);
	assert_string_equal(claims_of(b, text), "0:11 2:12");
	assert_int_equal(outcome(b, down, 0, JOURNAL_UNDONE, 0), 0);
	assert_string_equal(claims_of(b, text), "0:11 2:12");
	assert_int_equal(outcome(b, down, 0, JOURNAL_DONE, 0), 0);
	assert_string_equal(claims_of(b, text), "2:12");
	begin(b); /* as it stands in the file */
	assert_string_equal(claims_of(b, text), "2:12");
}

static void what_is_connected_anew_is_another_claim(void **state)
{
	struct bench *b = *state;
	char text[64];

	begin(b);
	connect_done(b, 0, 11);
	connect_done(b, 1, 12);
	assert_int_equal(outcome(b, STEP_NVME_DISCONNECT, 0, JOURNAL_DONE, 0), 0);
	assert_false(owns(b, 0, 0));
	connect_done(b, 0, 13);
	assert_string_equal(claims_of(b, text), "1:12 0:13");
	assert_int_equal(intent(b, STEP_NVME_CONNECT, 1), 0); /* though nothing had closed it */
	assert_string_equal(claims_of(b, text), "0:13 1:0");
	assert_int_equal(outcome(b, STEP_NVME_CONNECT, 1, JOURNAL_UNDONE, 0), 0);
	assert_string_equal(claims_of(b, text), "0:13");
	connect_done(b, 1, 14);
	assert_string_equal(claims_of(b, text), "0:13 1:14");
}

static void a_claim_is_of_one_inode_where_both_are_known(void **state)
{
	struct bench *b = *state;

	begin(b);
	assert_false(owns(b, 0, 0));
	assert_int_equal(intent(b, STEP_NVME_CONNECT, 0), 0);
	assert_true(owns(b, 0, 0));
	assert_true(owns(b, 0, 11)); /* nobody knows */
	assert_int_equal(outcome(b, STEP_NVME_CONNECT, 0, JOURNAL_DONE, 11), 0);
	assert_true(owns(b, 0, 0));
	assert_true(owns(b, 0, 11));
	assert_false(owns(b, 0, 12));
	assert_false(owns(b, 1, 11));
	assert_int_equal(intent(b, STEP_NVME_DISCONNECT, 0), 0);
	assert_true(owns(b, 0, 11));
	assert_false(owns(b, 0, 12));
}

static void there_is_a_limit_to_claims(void **state)
{
	struct bench *b = *state;
	struct journal_data data = { .records = JOURNAL_CLAIMS_MAX + 1 };
	unsigned last = JOURNAL_CLAIMS_MAX;

	(void)b;
	data.rec = calloc(data.records, sizeof(*data.rec));
	for (unsigned i = 0; i < data.records; i++) {
		struct step step;

		fake_step(&step, 0);
		str_format(step.id.trsvcid, sizeof(step.id.trsvcid), "%u", i + 1);
		data.rec[i] = (struct journal_rec){
			.type = JOURNAL_STEP, .kind = STEP_NVME_CONNECT, .state = JOURNAL_DONE, .id = step.id
		};
	}
	assert_int_equal(journal_claims(&data, b->claims), -E2BIG);
	data.rec[last].kind = STEP_NVME_DISCONNECT;
	assert_int_equal(journal_claims(&data, b->claims), 0);
	assert_int_equal(b->claims->count, JOURNAL_CLAIMS_MAX);
	data.rec[last] = data.rec[0]; /* one of them anew */
	assert_int_equal(journal_claims(&data, b->claims), 0);
	assert_int_equal(b->claims->count, JOURNAL_CLAIMS_MAX);
	journal_data_free(&data);
}

/* --- when the file goes -----------------------------------------------------------------------------------
 */

static void the_file_goes_only_with_the_last_claim_and_if_it_may(void **state)
{
	struct bench *b = *state;

	begin(b);
	connect_done(b, 0, 11);
	assert_int_equal(intent(b, STEP_NVME_CONNECT, 1), 0);
	assert_int_equal(journal_end(b->journal, XC_OK, true, &b->err), 0);
	assert_true(root_exists(&b->root, PATH));
	begin(b);
	assert_int_equal(outcome(b, STEP_NVME_DISCONNECT, 0, JOURNAL_DONE, 0), 0);
	assert_int_equal(journal_end(b->journal, XC_OK, true, &b->err), 0);
	assert_true(root_exists(&b->root, PATH)); /* the intent is open */
	begin(b);
	assert_int_equal(outcome(b, STEP_NVME_DISCONNECT, 1, JOURNAL_DONE, 0), 0);
	assert_int_equal(journal_end(b->journal, XC_OK, false, &b->err), 0);
	assert_true(root_exists(&b->root, PATH));
	begin(b); /* and writes nothing */
	assert_int_equal(journal_end(b->journal, XC_OK, true, &b->err), 0);
	assert_false(root_exists(&b->root, PATH));
	begin(b);
	assert_int_equal(journal_end(b->journal, XC_OK, true, &b->err), 0);
	assert_false(root_exists(&b->root, PATH));
	begin(b); /* the next one is a new one */
	connect_done(b, 0, 12);
	assert_int_equal(journal_data(b->journal)->last_run, 1);
}

static void the_data_is_what_the_file_holds(void **state)
{
	struct bench *b = *state;
	struct journal_data read;
	const struct journal_data *data;

	begin(b);
	assert_false(journal_data(b->journal)->there);
	connect_done(b, 0, 11);
	assert_int_equal(intent(b, STEP_NVME_DISCONNECT, 0), 0);
	data = journal_data(b->journal);
	assert_int_equal(journal_read(&b->root, &read, &b->err), 0);
	assert_true(data->there && data->unfinished);
	assert_int_equal(data->records, read.records);
	for (unsigned i = 0; i < read.records; i++) {
		assert_int_equal(data->rec[i].type, read.rec[i].type);
		assert_int_equal(data->rec[i].run, read.rec[i].run);
		assert_int_equal(data->rec[i].step, read.rec[i].step);
		assert_int_equal(data->rec[i].kind, read.rec[i].kind);
		assert_int_equal(data->rec[i].state, read.rec[i].state);
		assert_int_equal(data->rec[i].inode, read.rec[i].inode);
		assert_string_equal(data->rec[i].before, read.rec[i].before);
		assert_string_equal(data->rec[i].after, read.rec[i].after);
	}
	journal_data_free(&read);
	assert_int_equal(journal_end(b->journal, XC_OK, true, &b->err), 0);
	assert_false(journal_data(b->journal)->unfinished);
}

/* --- room ----------------------------------------------------------------------------------------------- */

/* A journal of so many records. */
static void put_records(struct bench *b, unsigned records)
{
	char *text = malloc(JOURNAL_RECORDS_MAX * 64UL), *at = stpcpy(text, HEAD);

	for (unsigned run = 1; run <= records; run++)
		at += sprintf(at, "{\"run\":%u,\"begin\":\"c\",\"argv\":[],\"pid\":1}\n", run);
	fake_root_write(&b->root, PATH, text);
	free(text);
}

static void assert_full(struct bench *b, int code)
{
	assert_int_equal(code, -ENOSPC);
	assert_non_null(strstr(b->err.msg, "is full"));
	b->err = (struct err){ 0 };
}

static int irq_intent(struct bench *b, enum step_kind kind, bool undo)
{
	struct step step = { .kind = kind,
			     .pci = { .bus = 0x29 },
			     .irq_name = "mlx5_comp0@pci:0000:29:00.0" };

	step.irq_number = 43;
	if (kind == STEP_IRQ_AFFINITY || !undo)
		cpuset_add(&step.to, 0);
	if (kind == STEP_IRQ_AFFINITY && !undo)
		cpuset_add(&step.cores, 0);
	return journal_intent(b->journal, &step, 1,
			      kind == STEP_IRQ_AFFINITY ? "1"
			      : undo			? "banned"
							: "free",
			      &b->err);
}

static void two_thirds_of_a_journal_are_for_the_way_back(void **state)
{
	struct bench *b = *state;

	put_records(b, JOURNAL_RECORDS_MAX / 3 - RECORDS_SPARE);
	begin(b);
	connect_done(b, 0, 11);
	assert_full(b, intent(b, STEP_NVME_CONNECT, 1));
	assert_full(b, irq_intent(b, STEP_IRQ_AFFINITY, false));
	assert_full(b, irq_intent(b, STEP_IRQBALANCE_BAN, false));
	assert_int_equal(intent(b, STEP_NVME_DISCONNECT, 0), 0);
	assert_int_equal(irq_intent(b, STEP_IRQ_AFFINITY, true), 0);
	assert_int_equal(irq_intent(b, STEP_IRQBALANCE_BAN, true), 0);
}

/* All in one, as such a journal takes a second to read. */
static void what_is_begun_has_room_for_its_end(void **state)
{
	const unsigned gone = 10, room = RECORDS_SPARE + 1000;
	struct bench *b = *state;
	unsigned begun = 0;
	int r = 0;

	put_records(b, JOURNAL_RECORDS_MAX - room);
	begin(b);
	/* What was gone already is written down as well, and takes no room from what is begun. */
	for (unsigned i = 0; i < gone; i++)
		assert_int_equal(outcome(b, STEP_NVME_DISCONNECT, 3000 + i, JOURNAL_DONE, 0), 0);
	while (r == 0) {
		r = intent(b, STEP_NVME_DISCONNECT, begun);
		begun += r == 0;
	}
	assert_full(b, r);
	assert_int_equal(begun, (room - 1 - gone - RECORDS_SPARE) / 2 + 1);
	assert_full(b, outcome(b, STEP_NVME_DISCONNECT, 4000, JOURNAL_DONE, 0));
	for (unsigned i = 0; i < begun; i++)
		assert_int_equal(outcome(b, STEP_NVME_DISCONNECT, i, JOURNAL_DONE, 0), 0);
	assert_int_equal(journal_end(b->journal, XC_OK, false, &b->err), 0);
	assert_in_range(journal_data(b->journal)->records, JOURNAL_RECORDS_MAX - 2, JOURNAL_RECORDS_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(claims_are_the_connects_that_nothing_closed_the_oldest_first),
		TEST(what_is_connected_anew_is_another_claim),
		TEST(a_claim_is_of_one_inode_where_both_are_known),
		TEST(there_is_a_limit_to_claims),
		TEST(the_file_goes_only_with_the_last_claim_and_if_it_may),
		TEST(the_data_is_what_the_file_holds),
		TEST(two_thirds_of_a_journal_are_for_the_way_back),
		TEST(what_is_begun_has_room_for_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
