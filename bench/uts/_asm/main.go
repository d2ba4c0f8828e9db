// Command _asm generates the twin of uts.visit for SHA instructions.
package main

import . "github.com/mmcloughlin/avo/build"

const (
	// child is the bytes of uts.parent, and runBytes those of uts.run.
	child    = 32
	runBytes = 24
)

func main() {
	ConstraintExpr("amd64,!purego")
	prepare()
	visit()
	Generate()
}

// initial is the state before the first block.
var initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}
