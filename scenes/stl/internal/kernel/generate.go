package kernel

// The generator is a module of its own, so that users of this one do not depend
// on it.
//
//go:generate go -C _asm run ./records -out ../records_amd64.s -stub ../records_stub_amd64.go
