// Package numeric is the mathematics of the procedural scenes, with the same
// bits on every machine: circles, smooth noise, seeded chance.
package numeric
