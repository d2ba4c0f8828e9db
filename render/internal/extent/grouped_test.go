package extent

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// groupedMesh is a mesh whose groups hold the triangles in the order of numbers.
type groupedMesh struct {
	*scenes.Mesh
	numbers []int
	reads   int
}

// groupsOf divides a mesh into groups of random triangles. If sorted is set, the triangles of a group are close
// together along x.
func groupsOf(random *rand.Rand, m *scenes.Mesh, sorted bool) *groupedMesh {
	g := &groupedMesh{Mesh: m, numbers: random.Perm(m.Len())}
	if sorted {
		slices.SortFunc(g.numbers, func(a, b int) int { return cmp.Compare(m.X[0][a], m.X[0][b]) })
	}
	return g
}

func (m *groupedMesh) group(g int) []int {
	return m.numbers[g*groupSize : min((g+1)*groupSize, len(m.numbers))]
}

func (m *groupedMesh) GroupBounds() (columns [6][]float32, err error) {
	for g := range (m.Len() + groupSize - 1) / groupSize {
		lo, hi := [3]float32{}, [3]float32{}
		finite := true
		for i, t := range m.group(g) {
			for k, p := range m.Triangle(t) {
				for a, v := range p {
					if i == 0 && k == 0 {
						lo[a], hi[a] = v, v
					}
					lo[a], hi[a] = min(lo[a], v), max(hi[a], v)
					finite = finite && v-v == 0
				}
			}
		}
		for a := range 3 {
			if !finite {
				lo[a], hi[a] = float32(math.Inf(-1)), float32(math.Inf(1))
			}
			columns[a], columns[3+a] = append(columns[a], lo[a]), append(columns[3+a], hi[a])
		}
	}
	return columns, nil
}

func (m *groupedMesh) ReadGroups(groups []int32, to *scenes.Block, numbers []uint32) error {
	to.Resize(len(groups)*groupSize, false)
	n := 0
	for _, g := range groups {
		for _, t := range m.group(int(g)) {
			to.Set(n, m.Triangle(t))
			if numbers != nil {
				numbers[n] = uint32(t)
			}
			n++
		}
	}
	to.Resize(n, false)
	m.reads += len(groups)
	return nil
}

// TestGrouped checks that a search by groups returns the same result as a search over all triangles. In some meshes,
// vertices are equally far, in the same place, on the axis, far from the point, or not finite.
func TestGrouped(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 9))
	ctx := context.Background()
	read, groups := 0, 0
	for round := range 100 {
		m := &scenes.Mesh{Block: scenes.MakeBlock(1 + random.IntN(20000))}
		size, offset := math.Exp(20*random.Float64()-10), random.NormFloat64()*1000*float64(round%2)
		for i := range m.Len() {
			middle := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
			if round%3 == 0 { // many vertices have the same position
				middle = mgl64.Vec3{float64(random.IntN(4)), float64(random.IntN(4)), float64(random.IntN(4))}
			}
			if round%7 == 0 {
				middle[0], middle[1] = 0, 0
			}
			var corners [3][3]float32
			for k := range 3 {
				for a := range 3 {
					corners[k][a] = float32(size * (middle[a] + 0.01*float64(k)*float64(round%2) + offset))
				}
			}
			m.Set(i, corners)
		}
		if round%5 == 0 {
			m.X[1][random.IntN(m.Len())] = float32(math.NaN())
			m.Y[2][random.IntN(m.Len())] = float32(math.Inf(1))
		}
		sorted := round%2 == 0 && round%7 > 0 && round%3 > 0
		g := groupsOf(random, m, sorted)
		from := mgl64.Vec3{size * (random.NormFloat64() + offset), size * offset, size * offset}
		axis := mgl64.Vec3(scenes.Axis(random.IntN(6)).Vector())
		if random.IntN(4) == 0 {
			axis = mgl64.Vec3{0.6, 0, 0.8}
		}
		compareGrouped(t, ctx, g, from, axis, random)
		if all := (m.Len() + groupSize - 1) / groupSize; sorted {
			read, groups = read+g.reads, groups+7*all // seven searches: five directions, the forms, and the distance
		}
	}
	if read > groups/2 {
		t.Errorf("%d groups of %d were read", read, groups)
	}
}

func compareGrouped(t *testing.T, ctx context.Context, g *groupedMesh, from, axis mgl64.Vec3, random *rand.Rand) {
	t.Helper()
	var along []mgl64.Vec3
	for range 3 {
		along = append(along, mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()})
	}
	along = append(along, mgl64.Vec3{1}, mgl64.Vec3{0, -1})
	want, err := NewFinder(g.Mesh).Farthest(ctx, from, along)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewFinder(g).Farthest(ctx, from, along)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("along %v: %v, want %v", along[i], got[i], want[i])
		}
	}
	forms := [][2]float64{{1, 0}, {0.3, 0.9}, {0.3, -0.9}, {0, 1}, {-0.5, 1}}
	wantRing, err := MaxForms(ctx, g.Mesh, from, axis, forms)
	if err != nil {
		t.Fatal(err)
	}
	gotRing, err := MaxForms(ctx, g, from, axis, forms)
	if err != nil {
		t.Fatal(err)
	}
	for i := range wantRing {
		if gotRing[i] != wantRing[i] {
			t.Errorf("form %v: %g, want %g", forms[i], gotRing[i], wantRing[i])
		}
	}
	wantFar, err := FarthestDistance(ctx, g.Mesh, from)
	if err != nil {
		t.Fatal(err)
	}
	if gotFar, err := FarthestDistance(ctx, g, from); gotFar != wantFar || err != nil {
		t.Errorf("from %v: %g, want %g, %v", from, gotFar, wantFar, err)
	}
}
