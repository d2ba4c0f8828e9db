package uts

// The generator is a module of its own, so that users of this module do not get the generator's dependencies.
//
//go:generate go -C _asm run . -out ../spawn_amd64.s -stubs ../spawn_stub_amd64.go -pkg uts
