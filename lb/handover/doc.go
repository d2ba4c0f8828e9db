// Package handover decides how much work to move, if a part of the work can be moved: which blocks change their owner,
// what that saves in every iteration, and what it costs. Package lb/criterion, in contrast, decides when to balance
// everything.
//
// Each block has a load, the seconds that it takes in an iteration, and a size in bytes. An iteration takes as long as
// the owner with the largest sum of loads needs for its blocks. Moving blocks takes a latency, plus the time of the
// owner that has the most bytes to send or to receive. An owner can send and receive at the same time.
//
// [Plan] is a pure function: given loads, sizes and owners, it returns the moves that repay their price soonest.
// [Trial] calls it after every iteration of a run. Trial adds up how much time its plans would have saved in the
// iterations after they were made. Once this sum exceeds the price of the latest plan, Trial carries that plan out.
//
// File plan.go chooses the moves, and trial.go decides when to make them.
package handover
