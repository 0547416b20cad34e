/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The floor for show: opens, reads and closes each file that is named on a line of LIST, below DIRECTORY. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	static char buf[1 << 16];
	int directory = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
	FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
	char line[4096];

	if (directory < 0 || !list) {
		fprintf(stderr, "usage: readfiles DIRECTORY LIST\n");
		return 2;
	}
	while (fgets(line, sizeof(line), list)) {
		int fd;

		line[strcspn(line, "\n")] = '\0';
		fd = openat(directory, line, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			fprintf(stderr, "readfiles: %s\n", line);
			return 1;
		}
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
	}
	return 0;
}
