/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cause of a failed connect from errno and kernel log; the lines are those of Linux 6.1 and 6.12. */
#include "apply/kmsg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

static void a_cause_is_told_from_errno_and_log(void **state)
{
	static const struct {
		int code;
		const char *lines;
		enum path_reason reason;
	} cases[] = {
		{ -ECONNRESET,
		  "nvme nvme0: Connect rejected: status 8 (invalid service ID).\n"
		  "nvme nvme0: rdma connection establishment failed (-104)\n",
		  PATH_NO_LISTENER },
		{ -ECONNRESET, "nvme nvme0: rdma connection establishment failed (-104)\n", PATH_NO_ANSWER },
		{ -ECONNRESET,
		  "nvme nvme0: Connect rejected: status 10 (stale conn).\n"
		  "nvme nvme0: rdma connection establishment failed (-104)\n",
		  PATH_OTHER },
		{ -ECONNRESET,
		  "nvme nvme0: Connect rejected: status 28 (consumer defined) nvme status 6 (no resources).\n"
		  "nvme nvme0: rdma connection establishment failed (-104)\n",
		  PATH_OTHER },
		{ -ECONNRESET, NULL, PATH_OTHER },
		{ -ECONNRESET, "", PATH_OTHER },
		{ -EIO, "nvme nvme0: Connect Invalid Data Parameter, subsysnqn \"nqn.2026-01.example:s1\"\n",
		  PATH_NQN_UNKNOWN },
		{ -EIO, "nvme nvme0: Connect Invalid Data Parameter, hostnqn \"nqn.2026-01.example:h\"\n",
		  PATH_HOST_NOT_ALLOWED },
		{ -EIO,
		  "nvme nvme0: Connect for subsystem nqn.2026-01.example:s1 is not allowed, "
		  "hostnqn: nqn.2026-01.example:h\n",
		  PATH_HOST_NOT_ALLOWED },
		{ -EIO, "nvme nvme0: Connect command failed: controller is busy or not available\n",
		  PATH_OTHER },
		{ -EIO, "nvme nvme0: Connect command failed, error wo/DNR bit: 881\n", PATH_TIMEOUT },
		{ -EIO, "nvme nvme0: Connect command failed, error wo/DNR bit: 16385\n", PATH_OTHER },
		{ -EIO, "nvme nvme0: Connect command failed, error wo/DNR bit: 881\n", PATH_TIMEOUT },
		{ -EIO, "nvme nvme0: Connect command failed, error wo/DNR bit: 6\n", PATH_OTHER },
		{ -EIO, NULL, PATH_OTHER },
		{ -EADDRNOTAVAIL, "nvme nvme0: rdma_resolve_addr failed (-99).\n", PATH_ADDRESS_MISSING },
		{ -EADDRNOTAVAIL, NULL, PATH_ADDRESS_MISSING },
		{ -ENODEV, "nvme nvme0: rdma_resolve_addr failed (-19).\n", PATH_NO_RDMA_DEVICE },
		{ -ETIMEDOUT, NULL, PATH_NO_ANSWER },
		{ ETIMEDOUT, NULL, PATH_NO_ANSWER },
		{ -EALREADY, NULL, PATH_OTHER },
		{ -EINVAL, "nvme_fabrics: found same hostid ... but different hostnqn ...\n", PATH_OTHER },
		{ -EOPNOTSUPP, "nvme nvme0: Mandatory keyed sgls are not supported!\n", PATH_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(kmsg_connect_reason(cases[i].code, cases[i].lines), cases[i].reason);
}

static void lines_of_another_controller_say_nothing(void **state)
{
	char lines[] = "nvme nvme1: Connect rejected: status 8 (invalid service ID).\n"
		       "nvme nvme10: rdma connection establishment failed (-104)\n"
		       "nvme nvme1: rdma connection establishment failed (-104)\n"
		       "nvme_fabrics: nvme nvme1: in the middle\n"
		       "nvme nvme1: cut";

	(void)state;
	kmsg_drop_controller(lines, 1);
	assert_string_equal(lines, "nvme nvme10: rdma connection establishment failed (-104)\n"
				   "nvme_fabrics: nvme nvme1: in the middle\n");
	assert_int_equal(kmsg_connect_reason(-ECONNRESET, lines), PATH_NO_ANSWER);
}

/* /dev/kmsg gives one record a read, as a socket of packets does. */
static int kernel_says(const char *const *records)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	for (; *records; records++)
		assert_int_equal(send(pair[1], *records, strlen(*records), 0), strlen(*records));
	/* pair[1] stays open, so that the end of the records is EAGAIN; the process ends soon. */
	return pair[0];
}

static void only_lines_of_nvme_and_rdma_are_read(void **state)
{
	static const char *const records[] = {
		"6,1200,5000000,-;usb 1-1: new device\n SUBSYSTEM=usb\n",
		"3,1201,5000100,-;nvme nvme0: Connect rejected: status 8 (invalid service ID).\n "
		"SUBSYSTEM=nvme\n"
		" DEVICE=c240:0\n",
		"no record at all",
		"6,1202,5000200,-,caller=T1;nvme_rdma: with\x1b a control character\n",
		";rdma_cm: a header of length zero",
		NULL,
	};
	char buf[1024];

	(void)state;
	assert_int_equal(kmsg_read(kernel_says(records), buf, sizeof(buf)), 0);
	assert_string_equal(buf, "nvme nvme0: Connect rejected: status 8 (invalid service ID).\n"
				 "nvme_rdma: with? a control character\n"
				 "rdma_cm: a header of length zero\n");
}

static void the_newest_lines_are_kept(void **state)
{
	static const char *const records[] = {
		"6,1,1,-;nvme one\n",
		"6,2,2,-;nvme two\n",
		"6,3,3,-;nvme a line that is too long for it\n",
		"6,4,4,-;nvme three\n",
		NULL,
	};
	char buf[22];

	(void)state;
	assert_int_equal(kmsg_read(kernel_says(records), buf, sizeof(buf)), 0);
	assert_string_equal(buf, "nvme two\nnvme three\n");
}

static void a_log_that_cannot_be_read_is_an_error(void **state)
{
	char buf[64];

	(void)state;
	assert_int_equal(kmsg_read(-1, buf, sizeof(buf)), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cause_is_told_from_errno_and_log),
		cmocka_unit_test(lines_of_another_controller_say_nothing),
		cmocka_unit_test(only_lines_of_nvme_and_rdma_are_read),
		cmocka_unit_test(the_newest_lines_are_kept),
		cmocka_unit_test(a_log_that_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
