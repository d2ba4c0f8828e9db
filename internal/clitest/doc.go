// Package clitest runs the project's programs in tests. Most runs happen inside the test's own process, which takes a
// tenth of the time of a separate process. For tests about processes, clitest builds the program and starts it.
package clitest
