/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/*
 * Run a fuzz target over its corpus, without a fuzzer: every file that ever made trouble
 * is a test.  Linked to each fuzz_NAME.c; the corpus is tests/fuzz/corpus/NAME.  Writes
 * TAP; an input that crashes ends the run before the plan is fulfilled.
 */

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0, got = 0;

	if (f == NULL)
		return -1;
	do {
		n += got;
		if (n == cap) {
			cap = cap > 0 ? 2 * cap : 4096;
			data = realloc(data, cap);
			if (data == NULL)
				abort();
		}
		got = fread(data + n, 1, cap - n, f);
	} while (got > 0);
	fclose(f);
	/* A copy of just that size lets a sanitizer see a read beyond the end. */
	uint8_t *exact = malloc(n > 0 ? n : 1);
	if (exact == NULL)
		abort();
	memcpy(exact, data, n);
	free(data);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 0;
}

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	const char *name = strstr(argv[0], "fuzz_");
	char dir[256], path[1024];
	struct dirent **inputs;
	int n, failed = 0;

	(void)argc;
	if (name == NULL)
		return 2;
	snprintf(dir, sizeof(dir), "tests/fuzz/corpus/%s", name + strlen("fuzz_"));
	n = scandir(dir, &inputs, is_input, alphasort);
	if (n < 0) {
		perror(dir);
		return 2;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		int bad;

		snprintf(path, sizeof(path), "%s/%s", dir, inputs[i]->d_name);
		fflush(stdout);
		bad = replay(path);
		printf("%sok %d - %s\n", bad ? "not " : "", i + 1, inputs[i]->d_name);
		failed += bad != 0;
		free(inputs[i]);
	}
	free(inputs);
	return failed > 0;
}
