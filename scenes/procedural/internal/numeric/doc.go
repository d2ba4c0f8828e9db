// Package numeric holds mathematical functions for procedural scenes: circles, smooth noise and seeded random numbers.
// Their results have the same bits on every machine.
package numeric
