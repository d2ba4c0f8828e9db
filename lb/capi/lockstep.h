/*
 * When to balance an iterative program, and how to divide points: the packages lb/criterion and lb/partition of Lockstep
 * for C. Loads, times and costs are doubles in any one unit.
 *
 * Functions that may fail return 0, or 1 and a message of up to size bytes with its end in error, which may be NULL.
 * They may be called by several threads at once, but for one controller by one at a time.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A controller decides when to balance; 0 is none. */
typedef uintptr_t lockstep_controller;

/* What one or more ranks saw of an iteration: plain data that may be sent as bytes among machines of one kind. */
typedef struct {
	double max, sum, min;  /* of the times of the processing elements; sum of those times their speeds */
	int64_t count;         /* of the processing elements */
	double cost;           /* of the balancing before the iteration, on the slowest rank */
	double price, kept;    /* of the moves on offer, see lockstep_offer */
	int64_t bad;           /* times and costs that were refused */
	int64_t balanced;      /* 1: the work was balanced before the iteration */
	double speed;          /* sum of the speeds; 0 stands for count */
	int64_t until;         /* see lockstep_announce; 0: nothing is known */
} lockstep_report;

/* Whether to balance: value was compared with limit. what names both. */
typedef struct {
	int64_t balance;
	double value, limit;
	char what[120];
} lockstep_decision;

/*
 * Merges the reports of all ranks, by lockstep_merge, into all, the same one on each; returns 0, or another number if it
 * failed. user is the pointer that lockstep_reduce was given. It is called once in each lockstep_observe. By MPI, with
 * an operation that was made of lockstep_merge by MPI_Op_create and a type of sizeof(lockstep_report) bytes:
 *
 *	void merge(void *one, void *into, int *n, MPI_Datatype *type) {
 *		for (int i = 0; i < *n; i++)
 *			lockstep_merge((lockstep_report *)one + i, (lockstep_report *)into + i);
 *	}
 *	int all(const lockstep_report *mine, lockstep_report *all, void *user) {
 *		return MPI_Allreduce(mine, all, 1, report_type, merge_op, MPI_COMM_WORLD) != MPI_SUCCESS;
 *	}
 *
 * Sums of doubles depend on their order. MPI_Allreduce gives one result to all ranks, so that they decide alike.
 */
typedef int (*lockstep_all)(const lockstep_report *mine, lockstep_report *all, void *user);

#ifndef LOCKSTEP_LIBRARY

/*
 * Makes a controller. criterion is NULL for "ours", or a name such as "menon", "zhai", "periodic:100", or
 * "guard:3:zhai", which follows zhai and bounds what that costs. iterations is the length of the run, 0 if unknown.
 */
int lockstep_new(const char *criterion, int64_t iterations, lockstep_controller *controller, char *error, size_t size);

/* Ends a controller. 0 is allowed. */
void lockstep_free(lockstep_controller controller);

/* Lets ranks agree: each has a controller of its own. */
int lockstep_reduce(lockstep_controller controller, lockstep_all all, void *user, char *error, size_t size);

/* Adds a report to another one. */
void lockstep_merge(const lockstep_report *one, lockstep_report *into);

/* Takes in an iteration, in which the n processing elements of this rank took these times. */
int lockstep_observe(lockstep_controller controller, const double *times, size_t n, char *error, size_t size);

/* Says whether to balance before the next iteration. */
int lockstep_decide(lockstep_controller controller, lockstep_decision *decision, char *error, size_t size);

/* Says that the work was just balanced, at this cost; before the next lockstep_observe. */
int lockstep_balanced(lockstep_controller controller, double cost, char *error, size_t size);

/*
 * Says what balancing would do next: moves of this price, and the time that this rank's slowest element would have taken
 * in the coming iteration, had the moves offered for the one before been made.
 */
int lockstep_offer(lockstep_controller controller, double price, double kept, char *error, size_t size);

/*
 * Says after how many more iterations than the next one the program will change its work by itself, as by refining a mesh:
 * 1 for right after that one. Before each lockstep_observe as long as such a time is known.
 */
int lockstep_announce(lockstep_controller controller, int64_t until, char *error, size_t size);

/* Says how fast the n processing elements of this rank are from now on, in one unit for all ranks; n of 0: all alike, at 1. */
int lockstep_speeds(lockstep_controller controller, const double *speeds, size_t n, char *error, size_t size);

/*
 * Writes what a controller of "ours" has learned into state, of *length bytes, and sets *length to what it takes. It
 * fails if that is more, and then writes nothing: ask with a length of 0 first.
 */
int lockstep_state(lockstep_controller controller, char *state, size_t *length, char *error, size_t size);

/* Takes over such a state. */
int lockstep_restore(lockstep_controller controller, const char *state, size_t length, char *error, size_t size);

/*
 * Divides n points among parts. method is "rcb", "rib", "hsfc", "norcb", "flow", "spokes" or "drift". at has the
 * coordinates one column after the other: dims times n, dims 2 or 3. velocity is like it, or NULL for points at rest.
 * weight has the work of each point, or is NULL for 1 each. horizon is the time for which the division should last; only
 * flow and drift look at it. owner gets the part of each point, from 0.
 */
int lockstep_partition(const char *method, int64_t dims, size_t n, const double *at, const double *velocity,
	const double *weight, int64_t parts, double horizon, int32_t *owner, char *error, size_t size);

/*
 * Renumbers the parts of the division to, so that as much as possible of the weight stays where it was in the division
 * from. weight may be NULL.
 */
int lockstep_stay(const int32_t *from, int32_t *to, const double *weight, size_t n, int64_t parts, char *error, size_t size);

/* Returns the largest weight of a part over the mean of all, -1 for arguments that cannot be. weight may be NULL. */
double lockstep_imbalance(const int32_t *owner, const double *weight, size_t n, int64_t parts);

#endif

#ifdef __cplusplus
}
#endif

#endif
