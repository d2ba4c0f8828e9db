// Package clitest runs the project's programs in tests. It runs them inside the test's own process, which takes a tenth
// of the time. For tests about processes, it builds the program and starts it.
package clitest
