package flowshop

// The generator is a module of its own, so that users of this module do not get the generator's dependencies.
//
//go:generate go -C _asm run . -out ../bound_amd64.s -stubs ../bound_stub_amd64.go -pkg flowshop
