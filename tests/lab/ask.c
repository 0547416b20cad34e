/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says one thing to a daemon and prints what it answers.
 *
 * usage: ask SOCKET TEXT	a UNIX stream socket
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char answer[4096];
	ssize_t length;

	if (argc != 3 || strlen(argv[1]) >= sizeof(to.sun_path)) {
		fprintf(stderr, "usage: ask SOCKET TEXT\n");
		return 2;
	}
	strcpy(to.sun_path, argv[1]);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
	    write(fd, argv[2], strlen(argv[2])) < 0) {
		perror(argv[1]);
		return 1;
	}
	while ((length = read(fd, answer, sizeof(answer))) > 0)
		fwrite(answer, 1, (size_t)length, stdout);
	if (length < 0)
		perror(argv[1]);
	return length < 0;
}
