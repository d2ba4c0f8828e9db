package kernel

// The generators are a module of their own, so that users of this one do not
// depend on them.
//
//go:generate go -C _asm run ./geometry -out ../geometry_amd64.s -stubs ../geometry_stub_amd64.go
//go:generate go -C _asm run ./shade -out ../shade_amd64.s -stubs ../shade_stub_amd64.go
//go:generate go -C _asm run ./pixels -out ../pixels_amd64.s -stubs ../pixels_stub_amd64.go
//go:generate go -C _asm run ./scan -out ../scan_amd64.s -stubs ../scan_stub_amd64.go
//go:generate go -C _asm run ./zbuffer -out ../zbuffer_amd64.s -stubs ../zbuffer_stub_amd64.go

// Last, since it depends on what the others make.
//
//go:generate go test -run ^TestVersion$ -renew .
