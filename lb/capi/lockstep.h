/*
 * The packages lb/criterion and lb/partition of Lockstep for C: they decide when to balance an iterative program, and
 * divide points into parts. All times and costs of a program are in the same unit, which may be any.
 *
 * A function that can fail returns 0 on success. On failure it returns 1 and writes a message to error, which may be
 * NULL. The message takes at most size bytes, including its terminating 0.
 *
 * Several threads may call functions at once, but only one at a time with the same controller.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The handle of a controller, which decides when to balance. 0 is no controller. */
typedef uintptr_t lockstep_controller;

/*
 * The measurements of an iteration by one or more ranks. Machines of the same kind may send a report to each other as
 * bytes.
 */
typedef struct {
	double max, sum, min; /* longest time of a processing element; sum of times, each times the speed; shortest time */
	int64_t count;        /* number of processing elements */
	double cost;          /* cost of the balancing before the iteration, on the rank where it took longest */
	double price, kept;   /* see lockstep_offer */
	int64_t bad;          /* number of invalid times, costs and other values */
	int64_t balanced;     /* 1 if the work was balanced before the iteration */
	double speed;         /* sum of the speeds of the processing elements; if it is 0, count is used instead */
	int64_t until;        /* see lockstep_announce; 0 if nothing was announced */
} lockstep_report;

/* Whether to balance. balance is 1 if value exceeds limit, and otherwise 0. what describes value and limit in words. */
typedef struct {
	int64_t balance;
	double value, limit;
	char what[120];
} lockstep_decision;

/*
 * A function of the program that merges the reports of all ranks by lockstep_merge, and writes the same result to all
 * on every rank. mine is the report of the calling rank. user is the pointer that lockstep_reduce got. The function
 * returns 0, or another number if it failed. Each lockstep_observe calls it once.
 *
 * With MPI it looks as follows. merge_op is made from merge by MPI_Op_create, and report_type is a type of
 * sizeof(lockstep_report) bytes.
 *
 *	void merge(void *one, void *into, int *n, MPI_Datatype *type) {
 *		for (int i = 0; i < *n; i++)
 *			lockstep_merge((lockstep_report *)one + i, (lockstep_report *)into + i);
 *	}
 *	int all(const lockstep_report *mine, lockstep_report *all, void *user) {
 *		return MPI_Allreduce(mine, all, 1, report_type, merge_op, MPI_COMM_WORLD) != MPI_SUCCESS;
 *	}
 *
 * The rounding of a sum depends on the order of its terms. But MPI_Allreduce gives the same result to all ranks, so all
 * ranks decide alike.
 */
typedef int (*lockstep_all)(const lockstep_report *mine, lockstep_report *all, void *user);

#ifndef LOCKSTEP_LIBRARY

/*
 * Makes a controller and writes its handle to controller. criterion is the name of a criterion, such as "menon", "zhai"
 * or "periodic:100". "guard:3:zhai" follows zhai and bounds what that costs. NULL means "ours". iterations is the
 * length of the run, or 0 if it is not known.
 */
int lockstep_new(const char *criterion, int64_t iterations, lockstep_controller *controller, char *error, size_t size);

/* Frees a controller. For the handle 0 it does nothing. */
void lockstep_free(lockstep_controller controller);

/*
 * Sets the function that merges the reports of all ranks, so that all ranks decide alike. Each rank has a controller of
 * its own. all is NULL for a program of one rank.
 */
int lockstep_reduce(lockstep_controller controller, lockstep_all all, void *user, char *error, size_t size);

/* Merges the report *one into the report *into. */
void lockstep_merge(const lockstep_report *one, lockstep_report *into);

/* Records an iteration in which the n processing elements of this rank took these times. */
int lockstep_observe(lockstep_controller controller, const double *times, size_t n, char *error, size_t size);

/* Writes to decision whether to balance before the next iteration. */
int lockstep_decide(lockstep_controller controller, lockstep_decision *decision, char *error, size_t size);

/* Tells the controller that the work was just balanced, at this cost. Call it before the next lockstep_observe. */
int lockstep_balanced(lockstep_controller controller, double cost, char *error, size_t size);

/*
 * Tells the controller which moves of work the program would make if lockstep_decide said to balance after the next
 * observed iteration. price is what they cost. kept is a time of this rank's slowest processing element in that
 * iteration: the time if the program had made the moves of its previous offer. If there was no previous offer, kept is
 * the time that the element took. Call it before each lockstep_observe as long as there are useful moves.
 */
int lockstep_offer(lockstep_controller controller, double price, double kept, char *error, size_t size);

/*
 * Tells the controller that the program will change its work by itself, for example by refining a mesh. until is the
 * number of iterations until the change, including the next iteration that is observed. So 1 means that the change
 * comes right after that iteration. Call it before each lockstep_observe as long as such a time is known.
 */
int lockstep_announce(lockstep_controller controller, int64_t until, char *error, size_t size);

/*
 * Sets the speeds of the n processing elements of this rank from the next lockstep_observe on. All ranks use the same
 * unit. If n is 0, all speeds are 1.
 */
int lockstep_speeds(lockstep_controller controller, const double *speeds, size_t n, char *error, size_t size);

/*
 * Writes to state what a controller has learned. Its criterion must be "ours" or "ours-open". *length is the number of
 * bytes at state. The function sets *length to the number of bytes that it needs. If there is less room, it fails and
 * does not change state. So a first call with a *length of 0 finds out how much room is needed.
 */
int lockstep_state(lockstep_controller controller, char *state, size_t *length, char *error, size_t size);

/* Replaces what a controller has learned by a state of length bytes that lockstep_state has written. */
int lockstep_restore(lockstep_controller controller, const char *state, size_t length, char *error, size_t size);

/*
 * Divides n points among parts. method is "rcb", "rib", "hsfc", "norcb", "flow", "spokes" or "drift". dims is 2 or 3.
 * at holds dims columns of n numbers each, one after the other: all x coordinates, then all y coordinates, and so on.
 * velocity has the same layout, or is NULL if the points are at rest. weight holds the work of each point, or is NULL
 * if each point weighs 1. horizon is the time for which the division should last. Only flow and drift use it. The
 * function writes to owner the part of each point, counted from 0.
 */
int lockstep_partition(const char *method, int64_t dims, size_t n, const double *at, const double *velocity,
	const double *weight, int64_t parts, double horizon, int32_t *owner, char *error, size_t size);

/*
 * Changes the part numbers in the array `to`, so that much weight keeps the part number that it has in `from`. Both
 * arrays hold the part of each of n points. weight may be NULL, as in lockstep_partition.
 */
int lockstep_stay(const int32_t *from, int32_t *to, const double *weight, size_t n, int64_t parts, char *error, size_t size);

/*
 * Returns the largest weight of a part divided by the mean weight of all parts, or -1 if an argument is invalid. weight
 * may be NULL, as in lockstep_partition.
 */
double lockstep_imbalance(const int32_t *owner, const double *weight, size_t n, int64_t parts);

#endif

#ifdef __cplusplus
}
#endif

#endif
