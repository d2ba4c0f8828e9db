// Package clitest runs our programs in tests: in the test's own process, which takes a tenth of the time, or built and
// started where a test is about a process.
package clitest
