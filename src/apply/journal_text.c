/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's lines as text, read strictly and written so that the reader takes them back. */
#include "apply/journal_text.h"

#include <errno.h>
#include <string.h>

#include "apply/journal.h"
#include "base/json.h"

#define HEAD_MAX 256 /* longer than any head: format, boot id, version */
#define CTRL_STATE_SIZE sizeof(((struct ctrl *)0)->state)

/* --- reading ---------------------------------------------------------------------------------- */

/* Words: controller states ("deleting (no IO)"), commands. */
static int get_word(const struct json *j, const char *key, char *buf, size_t size)
{
	int r = json_get_str(j, key, buf, size);

	for (const char *at = buf; r == 0 && *at != '\0'; at++) {
		if (*at < ' ' || *at > '~')
			r = -EINVAL;
	}
	return r;
}

static int get_unsigned(const struct json *j, const char *key, unsigned *ret)
{
	int64_t value;
	int r = json_get_i64(j, key, 1, INT32_MAX, &value);

	if (r == 0)
		*ret = (unsigned)value;
	return r;
}

static int get_address(const struct json *j, const char *key, char buf[static IP_TEXT_MAX])
{
	struct ip ip;
	int r = json_get_str(j, key, buf, IP_TEXT_MAX);

	return r == 0 ? ip_parse(buf, &ip) : r;
}

static int get_nqn(const struct json *j, const char *key, char buf[static NQN_SIZE])
{
	int r = json_get_str(j, key, buf, NQN_SIZE);

	return r == 0 ? parse_nqn(buf) : r;
}

/* Returns NULL, or what is wrong. */
static const char *read_ctrl(const struct json *j, struct journal_rec *rec)
{
	static const char *const known[] = { "nqn",	"transport", "traddr", "trsvcid",     "host_traddr",
					     "hostnqn", "hostid",    "cntlid", "sysfs_inode", NULL };
	struct ctrl_id *id = &rec->id;
	char svcid[SVCID_SIZE], uuid[UUID_SIZE];
	int64_t cntlid = -1, inode = 0;
	int r;

	if (!json_is_object(j) || json_unknown_key(j, known))
		return "\"object\" is not a controller";
	if (get_nqn(j, "nqn", id->nqn) < 0 || get_nqn(j, "hostnqn", id->hostnqn) < 0)
		return "bad \"nqn\" or \"hostnqn\"";
	if (json_get_str(j, "transport", id->transport, sizeof(id->transport)) < 0 ||
	    strcmp(id->transport, "rdma") != 0)
		return "\"transport\" is not \"rdma\"";
	if (get_address(j, "traddr", id->traddr) < 0 || get_address(j, "host_traddr", id->host_traddr) < 0)
		return "bad \"traddr\" or \"host_traddr\"";
	if (json_get_str(j, "trsvcid", id->trsvcid, sizeof(id->trsvcid)) < 0 ||
	    parse_svcid(id->trsvcid, svcid) < 0)
		return "bad \"trsvcid\"";
	if (json_get_str(j, "hostid", id->hostid, sizeof(id->hostid)) < 0 || parse_uuid(id->hostid, uuid) < 0)
		return "bad \"hostid\"";
	r = json_get_i64(j, "cntlid", 0, UINT16_MAX, &cntlid);
	if (r < 0 && r != -ENOENT)
		return "bad \"cntlid\"";
	rec->cntlid = (int)cntlid;
	/* What is larger is read as INT64_MAX. */
	r = json_get_i64(j, "sysfs_inode", 1, INT64_MAX - 1, &inode);
	if (r < 0 && r != -ENOENT)
		return "bad \"sysfs_inode\"";
	rec->inode = (uint64_t)inode;
	return NULL;
}

/* As the drivers name them; quotes have no place in a name that is compared. */
static int get_irq_name(const struct json *j, const char *key, char buf[static IRQ_NAME_SIZE])
{
	int r = get_word(j, key, buf, IRQ_NAME_SIZE);

	return r == 0 && (buf[0] == '\0' || strpbrk(buf, " \"'\\")) ? -EINVAL : r;
}

/* In the kernel's form alone, as it is compared as text, too. */
static int get_pci(const struct json *j, const char *key, struct pci_addr *ret)
{
	char text[PCI_TEXT_MAX], canonical[PCI_TEXT_MAX];
	int r = json_get_str(j, key, text, sizeof(text));

	if (r == 0)
		r = pci_parse(text, ret);
	return r == 0 && strcmp(text, pci_format(ret, canonical)) != 0 ? -EINVAL : r;
}

/* Returns NULL, or what is wrong. */
static const char *read_irq(const struct json *j, struct journal_rec *rec)
{
	static const char *const of_affinity[] = { "pci", "irq_name", "irq", NULL };
	static const char *const of_ban[] = { "pci", "irq_name", "irq", "daemon", NULL };
	bool ban = rec->kind == STEP_IRQBALANCE_BAN;
	int64_t daemon = 0;
	int r;

	if (!json_is_object(j) || json_unknown_key(j, ban ? of_ban : of_affinity))
		return "\"object\" is not an interrupt";
	if (get_pci(j, "pci", &rec->pci) < 0 || get_irq_name(j, "irq_name", rec->irq_name) < 0)
		return "bad \"pci\" or \"irq_name\"";
	if (get_unsigned(j, "irq", &rec->irq_number) < 0)
		return "bad \"irq\"";
	if (!ban)
		return NULL;
	/* What is larger is read as INT64_MAX. */
	r = json_get_i64(j, "daemon", 1, INT64_MAX - 1, &daemon);
	if (r < 0 && r != -ENOENT)
		return "bad \"daemon\"";
	rec->daemon = (uint64_t)daemon;
	return NULL;
}

static bool is_list(const char *text)
{
	char canonical[JOURNAL_VALUE_SIZE];
	struct cpuset set;

	return text[0] != '\0' && cpuset_parse(text, &set) == 0 &&
	       cpuset_format(&set, canonical, sizeof(canonical)) == 0 && strcmp(text, canonical) == 0;
}

static bool is_value(const struct journal_rec *rec, const char *text, bool after)
{
	switch (rec->kind) {
	case STEP_NVME_CONNECT:
	case STEP_NVME_DISCONNECT:
		return strlen(text) < CTRL_STATE_SIZE;
	case STEP_IRQBALANCE_BAN:
		return strcmp(text, "banned") == 0 || strcmp(text, "free") == 0;
	case STEP_IRQ_AFFINITY:
		break;
	}
	return is_list(text) || (after && rec->state == JOURNAL_DONE && strcmp(text, "absent") == 0);
}

static const char *read_values(const struct json *j, struct journal_rec *rec)
{
	bool open = rec->state == JOURNAL_INTENT && !step_is_of_irq(rec->kind);
	int r;

	if (get_word(j, "before", rec->before, sizeof(rec->before)) < 0 || !is_value(rec, rec->before, false))
		return "bad \"before\"";
	r = get_word(j, "after", rec->after, sizeof(rec->after));
	if (r == -ENOENT && open)
		return NULL;
	return r < 0 || !is_value(rec, rec->after, true) ? "bad \"after\"" : NULL;
}

/* What a connect's intent asks for. */
static const char *read_asked(const struct json *j, struct journal_rec *rec)
{
	static const char *const known[] = { "nr_io_queues", "reconnect_delay", "ctrl_loss_tmo", NULL };
	const struct json *asked = json_get(j, "asked");
	int64_t queues, delay, loss;

	if (!asked)
		return NULL;
	if (rec->kind != STEP_NVME_CONNECT || rec->state != JOURNAL_INTENT || !json_is_object(asked) ||
	    json_unknown_key(asked, known) || json_get_i64(asked, "nr_io_queues", 1, 65535, &queues) < 0 ||
	    json_get_i64(asked, "reconnect_delay", 0, 65535, &delay) < 0 ||
	    json_get_i64(asked, "ctrl_loss_tmo", -1, INT32_MAX, &loss) < 0)
		return "bad \"asked\"";
	rec->opts.nr_io_queues = (int)queues;
	rec->opts.reconnect_delay = (int)delay;
	rec->opts.ctrl_loss_tmo = loss < 0 ? 0 : (int)loss;
	rec->opts.ctrl_loss_forever = loss < 0;
	return NULL;
}

static const char *read_step(const struct json *j, struct journal_rec *rec)
{
	static const char *const known[] = { "run",    "step",	"kind",	 "object", "asked",
					     "before", "after", "state", NULL };
	const struct json *object = json_get(j, "object");
	const char *why;
	char word[32];

	rec->type = JOURNAL_STEP;
	if (json_unknown_key(j, known))
		return "a step with an unknown key";
	if (get_unsigned(j, "step", &rec->step) < 0)
		return "bad \"step\"";
	if (get_word(j, "kind", word, sizeof(word)) < 0 || step_kind_parse(word, &rec->kind) < 0)
		return "a step of an unknown kind";
	if (get_word(j, "state", word, sizeof(word)) < 0 || journal_state_parse(word, &rec->state) < 0)
		return "bad \"state\"";
	why = read_values(j, rec);
	if (!why)
		why = read_asked(j, rec);
	if (why)
		return why;
	return step_is_of_irq(rec->kind) ? read_irq(object, rec) : read_ctrl(object, rec);
}

static const char *read_begin(const struct json *j, struct journal_rec *rec)
{
	static const char *const known[] = { "run", "begin", "argv", "pid", NULL };
	const struct json *argv = json_get(j, "argv");
	unsigned pid = 0;

	rec->type = JOURNAL_BEGIN;
	if (json_unknown_key(j, known))
		return "a begin with an unknown key";
	if (get_word(j, "begin", rec->command, sizeof(rec->command)) < 0 || rec->command[0] == '\0')
		return "bad \"begin\"";
	if (!json_is_array(argv))
		return "bad \"argv\"";
	if (get_unsigned(j, "pid", &pid) < 0)
		return "bad \"pid\"";
	rec->pid = (int)pid;
	return NULL;
}

static const char *read_end(const struct json *j, struct journal_rec *rec)
{
	static const char *const known[] = { "run", "end", NULL };

	rec->type = JOURNAL_END;
	if (json_unknown_key(j, known))
		return "an end with an unknown key";
	if (get_word(j, "end", rec->result, sizeof(rec->result)) < 0)
		return "bad \"end\"";
	for (int exit = 0; exit < XC_COUNT; exit++) {
		if (strcmp(rec->result, exit_class_name((enum exit_class)exit)) == 0)
			return NULL;
	}
	return "bad \"end\"";
}

static const char *read_head(const struct json *j, char boot_id[static UUID_SIZE])
{
	static const char *const known[] = { "journal", "boot_id", "version", NULL };
	char version[64], uuid[UUID_SIZE];
	int64_t format;

	if (json_get_i64(j, "journal", INT64_MIN, INT64_MAX, &format) < 0)
		return "no journal of nvme-partition";
	if (format != JOURNAL_FORMAT)
		return "written by a version with another format";
	if (json_unknown_key(j, known) || json_get_str(j, "version", version, sizeof(version)) < 0 ||
	    json_get_str(j, "boot_id", uuid, sizeof(uuid)) < 0 || parse_uuid(uuid, boot_id) < 0)
		return "bad head";
	return NULL;
}

/* A line after the head, of any type. */
static const char *read_record(const struct json *j, struct journal_rec *rec)
{
	*rec = (struct journal_rec){ .cntlid = -1 };
	if (get_unsigned(j, "run", &rec->run) < 0)
		return "bad \"run\"";
	if (json_get(j, "begin"))
		return read_begin(j, rec);
	if (json_get(j, "end"))
		return read_end(j, rec);
	return read_step(j, rec);
}

/* Runs follow one another; only the last can be without an end, or a later one was begun after a crash. */
static const char *check_order(const struct journal_data *data, const struct journal_rec *rec)
{
	if (rec->type == JOURNAL_BEGIN)
		return rec->run == data->last_run + 1 ? NULL : "a run out of order";
	return rec->run == data->last_run && data->unfinished ? NULL : "a line outside of its run";
}

const char *journal_add(struct journal_data *data, const struct journal_rec *rec)
{
	const char *why = check_order(data, rec);
	struct journal_rec *larger;

	if (why)
		return why;
	if (data->records == JOURNAL_RECORDS_MAX)
		return "more records than a journal can hold (JOURNAL_RECORDS_MAX)";
	larger = mem_grow(data->rec, data->records, sizeof(*larger));
	if (!larger)
		return "out of memory";
	data->rec = larger;
	data->rec[data->records++] = *rec;
	data->last_run = rec->run;
	data->unfinished = rec->type != JOURNAL_END;
	return NULL;
}

static const char *read_line(const char *line, size_t length, unsigned number, struct journal_data *data,
			     char boot_id[static UUID_SIZE])
{
	struct journal_rec rec;
	const char *why;
	_cleanup_json_ struct json *j = json_parse(line, length, &why);

	if (!j)
		return "no JSON";
	if (!json_is_object(j))
		return "no JSON object";
	if (number == 1)
		return read_head(j, boot_id);
	why = read_record(j, &rec);
	return why ? why : journal_add(data, &rec);
}

/*
 * Each line is one write, so one without its end was cut by a crash; but only what can be the beginning of a
 * line of ours was. Anything else is somebody's file, and not ours to cut.
 */
static bool is_cut_line(const char *at, size_t length, bool head)
{
	const char *start = head ? "{\"journal\":" : "{\"run\":";
	size_t common = strlen(start);

	if (length < common)
		common = length;
	return memcmp(at, start, common) == 0 && (!head || length < HEAD_MAX);
}

int journal_parse(const char *text, size_t length, struct journal_data *ret, char boot_id[static UUID_SIZE],
		  size_t *ret_whole, char *why, size_t size)
{
	struct journal_data data = { .there = true, .readable = true };
	size_t at = 0;

	boot_id[0] = '\0';
	for (unsigned number = 1; at < length; number++) {
		const char *end = memchr(text + at, '\n', length - at);
		const char *wrong;

		if (!end)
			break;
		wrong = read_line(text + at, (size_t)(end - text) - at, number, &data, boot_id);
		if (wrong) {
			str_format(why, size, "line %u: %s", number, wrong);
			journal_data_free(&data);
			return -EBADMSG;
		}
		at = (size_t)(end - text) + 1;
	}
	data.torn = at < length;
	if (data.torn && !is_cut_line(text + at, length - at, at == 0)) {
		str_format(why, size, "its last line has no end, and no crash cut it so");
		journal_data_free(&data);
		return -EBADMSG;
	}
	*ret_whole = at;
	*ret = data;
	return 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

char *journal_format_head(const char *boot_id)
{
	_cleanup_json_ struct json *j = json_object_new();

	json_set_i64(j, "journal", JOURNAL_FORMAT);
	json_set_str(j, "boot_id", boot_id);
	json_set_str(j, "version", PACKAGE_VERSION);
	return json_format(j);
}

char *journal_format_begin(unsigned run, const char *command, int argc, char *const argv[], int pid)
{
	_cleanup_json_ struct json *j = json_object_new();
	struct json *list = json_array_new();

	json_set_i64(j, "run", run);
	json_set_str(j, "begin", command);
	for (int i = 0; i < argc; i++)
		json_push_str(list, argv[i]);
	json_set(j, "argv", list);
	json_set_i64(j, "pid", pid);
	return json_format(j);
}

char *journal_format_end(unsigned run, enum exit_class result)
{
	_cleanup_json_ struct json *j = json_object_new();

	json_set_i64(j, "run", run);
	json_set_str(j, "end", exit_class_name(result));
	return json_format(j);
}

static struct json *irq_of(const struct journal_rec *rec)
{
	struct json *j = json_object_new();
	char pci[PCI_TEXT_MAX];

	json_set_str(j, "pci", pci_format(&rec->pci, pci));
	json_set_str(j, "irq_name", rec->irq_name);
	json_set_i64(j, "irq", rec->irq_number);
	if (rec->kind != STEP_IRQBALANCE_BAN)
		return j;
	if (rec->daemon > 0)
		json_set_i64(j, "daemon", (int64_t)rec->daemon);
	else
		json_set(j, "daemon", NULL);
	return j;
}

static struct json *ctrl_of(const struct journal_rec *rec)
{
	struct json *j = json_object_new();

	json_set_str(j, "nqn", rec->id.nqn);
	json_set_str(j, "transport", rec->id.transport);
	json_set_str(j, "traddr", rec->id.traddr);
	json_set_str(j, "trsvcid", rec->id.trsvcid);
	json_set_str(j, "host_traddr", rec->id.host_traddr);
	json_set_str(j, "hostnqn", rec->id.hostnqn);
	json_set_str(j, "hostid", rec->id.hostid);
	if (rec->cntlid >= 0)
		json_set_i64(j, "cntlid", rec->cntlid);
	else
		json_set(j, "cntlid", NULL);
	if (rec->inode > 0)
		json_set_i64(j, "sysfs_inode", (int64_t)rec->inode);
	return j;
}

static struct json *asked_of(const struct journal_rec *rec)
{
	struct json *j = json_object_new();

	json_set_i64(j, "nr_io_queues", rec->opts.nr_io_queues);
	json_set_i64(j, "reconnect_delay", rec->opts.reconnect_delay);
	json_set_i64(j, "ctrl_loss_tmo", rec->opts.ctrl_loss_forever ? -1 : rec->opts.ctrl_loss_tmo);
	return j;
}

static bool reads_back(const char *line, const struct journal_rec *rec)
{
	struct journal_rec back;
	const char *why;
	_cleanup_json_ struct json *j = json_parse(line, strlen(line), &why);

	return j && !read_record(j, &back) && back.type == JOURNAL_STEP && back.run == rec->run &&
	       back.step == rec->step && back.kind == rec->kind && back.state == rec->state &&
	       back.opts.nr_io_queues == rec->opts.nr_io_queues && back.cntlid == rec->cntlid &&
	       back.inode == rec->inode && ctrl_id_equal(&back.id, &rec->id) &&
	       pci_compare(&back.pci, &rec->pci) == 0 && strcmp(back.irq_name, rec->irq_name) == 0 &&
	       back.irq_number == rec->irq_number && back.daemon == rec->daemon &&
	       strcmp(back.before, rec->before) == 0 && strcmp(back.after, rec->after) == 0;
}

char *journal_format_step(const struct journal_rec *rec)
{
	_cleanup_json_ struct json *j = json_object_new();
	char *line;

	json_set_i64(j, "run", rec->run);
	json_set_i64(j, "step", rec->step);
	json_set_str(j, "kind", step_kind_name(rec->kind));
	json_set(j, "object", step_is_of_irq(rec->kind) ? irq_of(rec) : ctrl_of(rec));
	if (rec->opts.nr_io_queues > 0)
		json_set(j, "asked", asked_of(rec));
	json_set_str(j, "before", rec->before);
	json_set_str(j, "after", rec->after[0] ? rec->after : NULL);
	json_set_str(j, "state", journal_state_name(rec->state));
	line = json_format(j);
	if (!reads_back(line, rec)) {
		free(line);
		return NULL;
	}
	return line;
}
