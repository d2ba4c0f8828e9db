package kernel

// The generator is a separate module, so that users of this module do not depend on the packages that the generator
// needs.
//
//go:generate go -C _asm run ./records -out ../records_amd64.s -stub ../records_stub_amd64.go
