package kernel

// The generators are a separate module, so that users of this module do not depend on the packages that the generators
// need.
//
//go:generate go -C _asm run ./geometry -out ../geometry/geometry_amd64.s -stubs ../geometry/stub_amd64.go
//go:generate go -C _asm run ./small -out ../geometry/small_amd64.s -stubs ../geometry/small_stub_amd64.go
//go:generate go -C _asm run ./cloud -out ../cloud/cloud_amd64.s -stubs ../cloud/stub_amd64.go
//go:generate go -C _asm run ./shade -out ../shade/shade_amd64.s -stubs ../shade/stub_amd64.go
//go:generate go -C _asm run ./pixels -out ../pixel/pixels_amd64.s -stubs ../pixel/stub_amd64.go
//go:generate go -C _asm run ./scan -out ../scanline/scan_amd64.s -stubs ../scanline/stub_amd64.go
//go:generate go -C _asm run ./light -out ../light/light_amd64.s -stubs ../light/stub_amd64.go
//go:generate go -C _asm run ./texel -out ../texel/texel_amd64.s -stubs ../texel/stub_amd64.go
//go:generate go -C _asm run ./occlude -out ../occlude/occlude_amd64.s -stubs ../occlude/stub_amd64.go
//go:generate go -C _asm run ./show -out ../show/show_amd64.s -stubs ../show/stub_amd64.go
//go:generate go -C _asm run ./keep -out ../keep/keep_amd64.s -stubs ../keep/stub_amd64.go
//go:generate go -C _asm run ./hidden -out ../hidden/hidden_amd64.s -stubs ../hidden/stub_amd64.go
//go:generate go -C _asm run ./shape -out ../shape/shape_amd64.s -stubs ../shape/stub_amd64.go
//go:generate go -C _asm run ./zbuffer -out ../zbuffer/zbuffer_amd64.s -stubs ../zbuffer/stub_amd64.go

// This command must be the last, because it depends on the files that the others make.
//go:generate go -C scanline test -run ^TestVersion$ -renew .
