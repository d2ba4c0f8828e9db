// Package main is a library for programs in C, and in every language that can call C. It decides when an
// iterative program should be balanced (criterion.Controller) and divides points (package partition).
//
//	go build -buildmode=c-shared -o liblockstep.so ./lb/capi
//	cc -I lb/capi program.c liblockstep.so
//
// lockstep.h declares and explains the functions. In examples/when.c several ranks decide together when to balance, as
// the ranks of an MPI program would. examples/when.py calls the library by ctypes. The library needs a C compiler.
// Without one the package is empty.
package main

func main() {}
