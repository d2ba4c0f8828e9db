package dome

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// shaded returns the values of row y of a grey picture after a grid of levels has darkened it.
func shaded(t *testing.T, levels [][]int32, y, reach int) []byte {
	t.Helper()
	var g Grid
	g.Begin(len(levels[0]), len(levels), reach)
	for i, row := range levels {
		copy(g.Row(i), row)
	}
	pix := bytes.Repeat([]byte{200, 200, 200, 90}, len(levels[0]))
	g.Shade(y, pix)
	for x := range levels[y] {
		if pix[4*x] != pix[4*x+1] || pix[4*x] != pix[4*x+2] || pix[4*x+3] != 90 {
			t.Fatalf("pixel %d is %v", x, pix[4*x:4*x+4])
		}
		pix[x] = pix[4*x]
	}
	return pix[:len(levels[y])]
}

// made returns a table of levels. The function `at` returns the level at column x and row y.
func made(width, height int, at func(x, y int) int32) [][]int32 {
	rows := make([][]int32, height)
	for y := range rows {
		rows[y] = make([]int32, width)
		for x := range rows[y] {
			rows[y][x] = at(x, y)
		}
	}
	return rows
}

// TestKnownShades tests surfaces with known light. Planes that face the eye keep their light. Beside a step, the
// farther surface is darker for as many pixels as the reach. A slope is evenly dark.
func TestKnownShades(t *testing.T) {
	for _, reach := range []int{1, 3, MaxReach} {
		for _, v := range shaded(t, made(40, 40, func(_, _ int) int32 { return -12345 }), 20, reach) {
			if v != 200 {
				t.Fatalf("reach %d: a plane becomes %d", reach, v)
			}
		}
		step := shaded(t, made(40, 40, func(x, _ int) int32 { return int32(x/20) * 1000 }), 20, reach)
		for x, v := range step {
			dark := x < 20 && x >= 20-reach
			if dark != (v < 200) || dark && v < 60 {
				t.Errorf("reach %d: a step has %d at %d", reach, v, x)
			}
		}
	}
	slope := shaded(t, made(40, 40, func(x, _ int) int32 { return int32(x) * Slope }), 20, 1)
	// Three of eight pixels are nearer, each by Slope, so 256/(1+0.4*3/8) = 223 of 256 parts remain.
	for x, v := range slope[1:39] {
		if want := byte((200*223 + 128) / 256); v != want {
			t.Fatalf("a slope has %d at %d, want %d", v, x, want)
		}
	}
}

// TestHoles checks that pixels that show nothing stay unchanged and do not darken other pixels. Gaps between points
// must keep their light.
func TestHoles(t *testing.T) {
	around := func(hole int32) byte {
		return shaded(t, made(40, 40, func(x, y int) int32 {
			if x == 20 && y == 20 {
				return hole
			}
			return 0
		}), 20, 1)[20]
	}
	if v := around(nothing); v != 200 {
		t.Errorf("a pixel that shows nothing becomes %d", v)
	}
	if v := around(-steepest); v != 200 {
		t.Errorf("a gap becomes %d", v)
	}
	if v := around(-Slope); v > 180 {
		t.Errorf("a shallow pit becomes %d", v)
	}
	for x, v := range shaded(t, made(40, 40, func(x, _ int) int32 { return nothing * int32(x%2) }), 20, 1) {
		if v != 200 {
			t.Errorf("pixels beside none: %d at %d", v, x)
		}
	}
	if last := len(new(Grid).shades) - 1; shadeOf(last) != whole || shadeOf(0) != whole {
		t.Error("not all light without neighbours, or among nearer ones")
	}
}

// TestShadesOneByOne compares rows with sums over the neighbours of each pixel, with random levels.
func TestShadesOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, reach := range []int{1, 2, 5, MaxReach} {
		levels := made(50, 21, func(_, _ int) int32 {
			if r.IntN(9) == 0 {
				return nothing
			}
			return r.Int32N(3*steepest) - steepest
		})
		diagonal := max(int(math.Round(float64(reach)*math.Sqrt(0.5))), 1)
		for y := range levels {
			for x, v := range shaded(t, levels, y, reach) {
				fall := int32(0)
				for _, d := range [][2]int{{reach, 0}, {0, reach}, {diagonal, diagonal}, {diagonal, -diagonal}} {
					for _, sign := range []int{-1, 1} {
						nx, ny := x+sign*d[0], y+sign*d[1]
						if nx >= 0 && nx < 50 && ny >= 0 && ny < 21 && levels[ny][nx] != nothing {
							fall += min(max(levels[ny][nx]-levels[y][x], 0), steepest)
						}
					}
				}
				if levels[y][x] == nothing {
					fall = 0
				}
				if want := byte((200*uint32(shadeOf(int(fall))) + 128) >> 8); v != want {
					t.Fatalf("reach %d: pixel %d,%d becomes %d, want %d", reach, x, y, v, want)
				}
			}
		}
	}
}

// TestLevels compares levels with their definition, except for the rounding of an octave to a whole number, and checks
// that nearer pixels never have lower levels.
func TestLevels(t *testing.T) {
	for _, v := range []View{{Per: 1e5}, {Per: 7}, {Per: 1e12}, {Per: 1e5, Linear: true}, {Per: 1e30, Linear: true}} {
		var l Levels
		l.Begin(v)
		last := int32(-math.MaxInt32)
		for e := float32(1e-5); e <= 1; e *= 1.00001 {
			got := l.Of(e)
			if got < last || got <= nothing/2-1 || got > deepest {
				t.Fatalf("%+v: %g has level %d, a farther one %d", v, e, got, last)
			}
			last = got
			want := v.Per * math.Log(float64(e))
			if v.Linear {
				want = v.Per * float64(e)
			}
			if v.Per <= 1e5 && math.Abs(float64(got)-want) > 10 {
				t.Fatalf("%+v: %g has level %d, want %g", v, e, got, want)
			}
		}
	}
}
