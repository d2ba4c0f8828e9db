// Package handover says how much work to move, where moving a part is possible:
// which blocks change their owner, what that saves in every iteration, and its
// price. lb/criterion says when to balance everything.
//
// Blocks have a load each, the seconds that they take in an iteration, and a
// size in bytes. An iteration takes as long as the owner with the greatest sum of
// loads. Moving blocks takes a latency, plus the time in which the owner with the
// most bytes to send or to receive does so, both directions at once.
//
// [Plan] is the pure question: given loads, sizes and owners, the moves that are
// worth most for their price. [Trial] asks it after every iteration of a run that is
// under way, and says yes when the moves would have saved their price already.
//
// plan.go has the moves, trial.go the decision.
package handover
