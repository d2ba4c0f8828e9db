module lockstep/bench/peers

go 1.26.0

replace lockstep => ../..

require (
	github.com/fogleman/fauxgl v0.0.0-20200818143847-27cddc103802
	lockstep v0.0.0
)

require (
	github.com/fogleman/simplify v0.0.0-20170216171241-d32f302d5046 // indirect
	github.com/go-gl/mathgl v1.2.0 // indirect
	github.com/jsummers/gobmp v0.0.0-20151104160322-e2ba15ffa76e // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
