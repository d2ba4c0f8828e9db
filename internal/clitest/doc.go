// Package clitest runs the project's programs in tests. It runs them in the test's own process, which takes a tenth of
// the time, or builds and starts them if a test is about a process.
package clitest
