// Package numeric holds mathematical functions for the procedural scenes that have the same bits on every machine:
// circles, smooth noise and seeded random numbers.
package numeric
