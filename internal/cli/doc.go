// Package cli holds what the programs have in common on the command line: exit codes, one-line errors, signals,
// progress bars, and errors of standard output. It prints messages of programs, so libraries must not use it.
package cli
