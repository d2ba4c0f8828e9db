/* Calls every function as it should not be called: each has to say so and go on. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lockstep.h"

static char error[300];

#define REFUSED(call, part) do { \
	error[0] = 0; \
	if ((call) != 1 || !strstr(error, part)) \
		printf("line %d: %s: \"%s\", expected \"%s\"\n", __LINE__, #call, error, part); \
} while (0)

#define TAKEN(call) do { \
	error[0] = 0; \
	if ((call) != 0) \
		printf("line %d: %s: %s\n", __LINE__, #call, error); \
} while (0)

static int failing(const lockstep_report *mine, lockstep_report *all, void *user)
{
	(void)mine; (void)all;
	return *(int *)user;
}

static int alone(const lockstep_report *mine, lockstep_report *all, void *user)
{
	(void)user;
	*all = *mine;
	return 0;
}

int main(void)
{
	lockstep_controller c = 0, other = 0;
	lockstep_decision d;
	double times[4] = {1, 1, 1, 2}, bad[2] = {1, NAN};
	double at[8] = {0, 1, 0, 1, 0, 0, 1, 1};
	int32_t owner[4] = {0, 1, 2, 3}, to[4] = {0, 0, 1, 1}, outside[4] = {0, 1, -1, 7};
	char state[1 << 16];
	size_t length = 0;
	int code = 9;

	REFUSED(lockstep_new("no such", 0, &c, error, sizeof error), "no such");
	REFUSED(lockstep_new(NULL, 0, NULL, error, sizeof error), "no place");
	REFUSED(lockstep_new(NULL, -1, &c, error, sizeof error), "negative");
	TAKEN(lockstep_new(NULL, 0, &c, error, sizeof error));
	REFUSED(lockstep_observe(c, NULL, 3, error, sizeof error), "NULL");
	REFUSED(lockstep_observe(c, times, (size_t)-1, error, sizeof error), "at most");
	REFUSED(lockstep_observe(c, bad, 2, error, sizeof error), "element 1");
	REFUSED(lockstep_decide(c, NULL, error, sizeof error), "no place");
	TAKEN(lockstep_balanced(c, 1, error, sizeof error));
	TAKEN(lockstep_observe(c, times, 4, error, sizeof error));
	TAKEN(lockstep_observe(c, NULL, 0, error, sizeof error));
	TAKEN(lockstep_offer(c, 1, NAN, error, sizeof error));
	REFUSED(lockstep_observe(c, times, 4, error, sizeof error), "offer");
	TAKEN(lockstep_reduce(c, failing, &code, error, sizeof error));
	REFUSED(lockstep_observe(c, times, 4, error, sizeof error), "returned 9");
	TAKEN(lockstep_reduce(c, alone, NULL, error, sizeof error));
	TAKEN(lockstep_offer(c, 0, 0, error, sizeof error));
	TAKEN(lockstep_announce(c, 3, error, sizeof error));
	REFUSED(lockstep_speeds(c, NULL, 4, error, sizeof error), "speeds");
	TAKEN(lockstep_speeds(c, times, 3, error, sizeof error));
	REFUSED(lockstep_observe(c, times, 4, error, sizeof error), "3 speeds and 4 times");
	TAKEN(lockstep_speeds(c, NULL, 0, error, sizeof error));
	TAKEN(lockstep_observe(c, times, 4, error, sizeof error));
	TAKEN(lockstep_reduce(c, NULL, NULL, error, sizeof error));
	TAKEN(lockstep_decide(c, &d, error, sizeof error));
	if (memchr(d.what, 0, sizeof d.what) == NULL)
		printf("the text of a decision has no end\n");

	REFUSED(lockstep_state(c, state, NULL, error, sizeof error), "no place");
	REFUSED(lockstep_state(c, NULL, &length, error, sizeof error), "room for 0");
	if (length == 0 || length > sizeof state)
		printf("a state of %zu bytes\n", length);
	size_t less = length - 1;
	state[0] = 'x';
	REFUSED(lockstep_state(c, state, &less, error, sizeof error), "takes");
	if (state[0] != 'x' || less != length)
		printf("a state that does not fit was written, or its length %zu is not %zu\n", less, length);
	TAKEN(lockstep_state(c, state, &length, error, sizeof error));
	TAKEN(lockstep_new("menon", 10, &other, error, sizeof error));
	REFUSED(lockstep_state(other, state, &length, error, sizeof error), "Menon");
	TAKEN(lockstep_restore(other, state, length, error, sizeof error));
	REFUSED(lockstep_restore(other, state, length - 1, error, sizeof error), "restore");
	REFUSED(lockstep_restore(other, NULL, 5, error, sizeof error), "NULL");

	lockstep_free(c);
	lockstep_free(c);
	lockstep_free(0);
	lockstep_free(12345);
	REFUSED(lockstep_observe(c, times, 4, error, sizeof error), "no controller");
	REFUSED(lockstep_reduce(0, alone, NULL, error, sizeof error), "no controller");
	REFUSED(lockstep_balanced(12345, 1, error, sizeof error), "no controller");
	lockstep_free(other);
	lockstep_merge(NULL, NULL);

	REFUSED(lockstep_partition(NULL, 2, 4, at, NULL, NULL, 2, 0, owner, error, sizeof error), "method");
	REFUSED(lockstep_partition("best", 2, 4, at, NULL, NULL, 2, 0, owner, error, sizeof error), "best");
	REFUSED(lockstep_partition("rcb", 4, 4, at, NULL, NULL, 2, 0, owner, error, sizeof error), "dimensions");
	REFUSED(lockstep_partition("rcb", 2, 4, at, NULL, NULL, 0, 0, owner, error, sizeof error), "parts");
	REFUSED(lockstep_partition("rcb", 2, 4, NULL, NULL, NULL, 2, 0, owner, error, sizeof error), "coordinates");
	REFUSED(lockstep_partition("rcb", 2, (size_t)-1 / 2 + 1, at, NULL, NULL, 2, 0, owner, error, sizeof error), "at most");
	REFUSED(lockstep_partition("rcb", 2, 4, at, NULL, bad, 2, NAN, NULL, error, sizeof error), "owners");
	REFUSED(lockstep_partition("flow", 2, 4, at, at, NULL, 2, NAN, owner, error, sizeof error), "horizon");
	TAKEN(lockstep_partition("rcb", 2, 0, NULL, NULL, NULL, 2, 0, NULL, error, sizeof error));
	TAKEN(lockstep_partition("rcb", 2, 4, at, at, times, 2, 1, owner, error, sizeof error));
	if (owner[0] != owner[2] || owner[1] != owner[3] || owner[0] == owner[1])
		printf("parts %d %d %d %d of a square\n", owner[0], owner[1], owner[2], owner[3]);
	REFUSED(lockstep_stay(owner, outside, NULL, 4, 2, error, sizeof error), "point 2 is in part -1 of 2");
	REFUSED(lockstep_stay(NULL, to, NULL, 4, 2, error, sizeof error), "before");
	to[0] = to[2] = owner[1];
	to[1] = to[3] = owner[0];
	TAKEN(lockstep_stay(owner, to, NULL, 4, 2, error, sizeof error));
	if (memcmp(to, owner, sizeof to))
		printf("parts %d %d %d %d do not stay\n", to[0], to[1], to[2], to[3]);
	if (lockstep_imbalance(outside, NULL, 4, 2) != -1 || lockstep_imbalance(owner, NULL, 4, 0) != -1 ||
	    lockstep_imbalance(owner, times, 4, 2) != 1.2)
		printf("imbalance %g\n", lockstep_imbalance(owner, times, 4, 2));

	char short_message[8] = "xxxxxxx";
	if (lockstep_observe(0, times, 4, short_message, 5) != 1 || strlen(short_message) != 4 || short_message[6] != 'x')
		printf("a message of 5 bytes is \"%s\"\n", short_message);
	if (lockstep_observe(0, times, 4, NULL, 5) != 1 || lockstep_observe(0, times, 4, error, 0) != 1)
		printf("without a place for messages nothing fails\n");
	puts("done");
	return 0;
}
