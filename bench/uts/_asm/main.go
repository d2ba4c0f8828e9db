// Command _asm generates the version of uts.visit with SHA instructions.
package main

import . "github.com/mmcloughlin/avo/build"

const (
	// child is the size of uts.parent, and runBytes the size of uts.run, in bytes.
	child    = 32
	runBytes = 24
)

func main() {
	ConstraintExpr("amd64,!purego")
	prepare()
	visit()
	Generate()
}

// initial is the state of SHA-1 before the first block.
var initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}
