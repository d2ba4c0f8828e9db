package surface

import (
	"math"
	"sort"

	"lockstep/render/internal/kernel/srgb"
)

// polynomials holds colour maps as polynomials of degree 6 for x from 0 to 1. Element d has the coefficients of x^d
// for R, G and B, in sRGB. Source: fits by Matt Zucker (public domain, 2019) to the maps of Nathaniel Smith and
// Stefan van der Walt for matplotlib. The fits are accurate to one or two 8-bit steps nearly everywhere.
var polynomials = map[string][7][3]float64{
	"viridis": {
		{0.2777273272234177, 0.005407344544966578, 0.3340998053353061}, {0.1050930431085774, 1.404613529898575, 1.384590162594685},
		{-0.3308618287255563, 0.214847559468213, 0.09509516302823659}, {-4.634230498983486, -5.799100973351585, -19.33244095627987},
		{6.228269936347081, 14.17993336680509, 56.69055260068105}, {4.776384997670288, -13.74514537774601, -65.35303263337234},
		{-5.435455855934631, 4.645852612178535, 26.3124352495832},
	},
	"plasma": {
		{0.05873234392399702, 0.02333670892565664, 0.5433401826748754}, {2.176514634195958, 0.2383834171260182, 0.7539604599784036},
		{-2.689460476458034, -7.455851135738909, 3.110799939717086}, {6.130348345893603, 42.3461881477227, -28.51885465332158},
		{-11.10743619062271, -82.66631109428045, 60.13984767418263}, {10.02306557647065, 71.41361770095349, -54.07218655560067},
		{-3.658713842777788, -22.93153465461149, 18.19190778539828},
	},
	"magma": {
		{-0.002136485053939582, -0.000749655052795221, -0.005386127855323933}, {0.2516605407371642, 0.6775232436837668, 2.494026599312351},
		{8.353717279216625, -3.577719514958484, 0.3144679030132573}, {-27.66873308576866, 14.26473078096533, -13.64921318813922},
		{52.17613981234068, -27.94360607168351, 12.94416944238394}, {-50.76852536473588, 29.04658282127291, 4.23415299384598},
		{18.65570506591883, -11.48977351997711, -5.601961508734096},
	},
	"inferno": {
		{0.0002189403691192265, 0.001651004631001012, -0.01948089843709184}, {0.1065134194856116, 0.5639564367884091, 3.932712388889277},
		{11.60249308247187, -3.972853965665698, -15.9423941062914}, {-41.70399613139459, 17.43639888205313, 44.35414519872813},
		{77.162935699427, -33.40235894210092, -81.80730925738993}, {-71.31942824499214, 32.62606426397723, 73.20951985803202},
		{25.13112622477341, -12.24266895238567, -23.07032500287172},
	},
}

// piecewiseMaps holds colour maps that interpolate between sRGB colours at equal distances. coolwarm goes through
// grey, as recommended by Moreland (Diverging Color Maps for Scientific Visualization, 2009).
var piecewiseMaps = map[string][]uint32{
	"grey":     {0x101010, 0xf0f0f0},
	"coolwarm": {0x3b4cc0, 0x8db0fe, 0xdddddd, 0xf49a7b, 0xb40426},
}

// MapNames returns the names of the colour maps.
func MapNames() (names []string) {
	for name := range polynomials {
		names = append(names, name)
	}
	for name := range piecewiseMaps {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// IsMap reports whether a colour map of that name exists.
func IsMap(name string) bool {
	return polynomials[name] != [7][3]float64{} || piecewiseMaps[name] != nil
}

// NewMap returns the named colour map in linear light. ok is false if no map has this name.
func NewMap(name string) (m [256][3]float32, ok bool) {
	polynomial, isPolynomial := polynomials[name]
	line, isLine := piecewiseMaps[name]
	for i := range m {
		x := float64(i) / 255
		for c := range 3 {
			v := 0.0
			switch {
			case isPolynomial:
				for d := 6; d >= 0; d-- {
					v = float64(v*x) + polynomial[d][c]
				}
			case isLine:
				at := x * float64(len(line)-1)
				k := min(int(at), len(line)-2)
				a, b := float64(line[k]>>(16-8*c)&255)/255, float64(line[k+1]>>(16-8*c)&255)/255
				v = a + float64((b-a)*(at-float64(k)))
			}
			// v is rounded to 8 bits first. Otherwise processors that fuse operations could give another result.
			v = math.Round(255*min(max(v, 0), 1)) / 255
			m[i][c] = float32(srgb.Decode(v))
		}
	}
	return m, isPolynomial || isLine
}
