//go:build race

package render_test

// raceEnabled makes the largest meshes smaller: the race detector costs a
// factor of ten.
const raceEnabled = true
