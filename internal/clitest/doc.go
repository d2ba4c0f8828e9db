// Package clitest runs the project's programs in tests. It runs them in the test's own process, which takes a tenth of
// the time that a process of their own takes. If a test is about a process, it builds and starts them.
package clitest
