// Package main (lb/capi) is a library for programs in C, and in every language that calls C, of when an iterative
// program should be balanced (criterion.Controller) and of how points are divided (package partition).
//
//	go build -buildmode=c-shared -o liblockstep.so ./lb/capi
//	cc -I lb/capi program.c liblockstep.so
//
// lockstep.h declares and explains its functions. examples/when.c has ranks that agree as those of MPI do,
// examples/when.py calls the library by ctypes. A C compiler is needed to build it; without one the package is empty.
package main

func main() {}
