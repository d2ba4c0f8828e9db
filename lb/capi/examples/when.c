/*
 * This program of several ranks decides when to balance. Particles drift to one end of a tube, so the last of four
 * ranks gets more and more work. Balancing moves the borders between ranks and takes as long as three iterations. Each
 * rank is a thread with a controller of its own. all_ranks does for these threads what MPI_Allreduce does for ranks of
 * MPI.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "lockstep.h"

enum { RANKS = 4, ITERATIONS = 60 };

static pthread_barrier_t barrier;
static lockstep_report reports[RANKS];

static void fail(const char *error)
{
	fprintf(stderr, "when: %s\n", error);
	exit(1);
}

static int all_ranks(const lockstep_report *mine, lockstep_report *all, void *user)
{
	reports[*(int *)user] = *mine;
	pthread_barrier_wait(&barrier);
	*all = reports[0];
	for (int i = 1; i < RANKS; i++)
		lockstep_merge(&reports[i], all);
	pthread_barrier_wait(&barrier); /* no rank writes its next report before all ranks have read these reports */
	return 0;
}

static void *run(void *arg)
{
	int rank = *(int *)arg;
	char error[256];
	lockstep_controller controller;
	double drift = 0, total = 0;

	if (lockstep_new("guard:3:ours", ITERATIONS, &controller, error, sizeof error) ||
	    lockstep_reduce(controller, all_ranks, arg, error, sizeof error) ||
	    lockstep_balanced(controller, 3, error, sizeof error)) /* the first distribution has a cost too */
		fail(error);
	for (int i = 0; i < ITERATIONS; i++) {
		lockstep_decision decision = {0};
		if (i > 0 && lockstep_decide(controller, &decision, error, sizeof error))
			fail(error);
		if (decision.balance) {
			drift = 0;
			total += 3;
			if (rank == 0)
				printf("balance before iteration %d: %s, %.2f > %.2f\n", i, decision.what, decision.value, decision.limit);
			if (lockstep_balanced(controller, 3, error, sizeof error))
				fail(error);
		}
		double time = rank == RANKS - 1 ? 1 + drift : 1 - drift / 3;
		total += 1 + drift; /* all ranks wait for the slowest */
		drift += 0.02;
		if (lockstep_observe(controller, &time, 1, error, sizeof error))
			fail(error);
	}
	lockstep_free(controller);
	if (rank == 0)
		printf("%.1f in all, %.1f without balancing\n", total, ITERATIONS + 0.02 * ITERATIONS * (ITERATIONS - 1) / 2);
	return NULL;
}

int main(void)
{
	pthread_t threads[RANKS];
	int rank[RANKS];

	pthread_barrier_init(&barrier, NULL, RANKS);
	for (int i = 0; i < RANKS; i++) {
		rank[i] = i;
		if (pthread_create(&threads[i], NULL, run, &rank[i]))
			fail("no thread");
	}
	for (int i = 0; i < RANKS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
