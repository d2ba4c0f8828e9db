// Package cli is what our programs have in common on the command line: exit codes, one line for a failure, signals,
// progress bars, standard output that may be gone. It prints for the programs; libraries do not use it.
package cli
