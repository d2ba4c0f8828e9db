//go:build race

package render_test

// raceEnabled makes the largest meshes smaller, because the race detector makes tests ten times as slow.
const raceEnabled = true
