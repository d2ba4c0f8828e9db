// Package clitest runs the project's programs in tests. It runs them in the test's own process, which takes a tenth of
// the time. For tests that are about processes it builds the program and starts it.
package clitest
