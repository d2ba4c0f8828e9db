// Command zbuffer generates the vector twins of kernel.ZBuffer.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	flag.Parse()
	ConstraintExpr("amd64,!purego")
	avx512()
	avx2()
	Generate()
}
