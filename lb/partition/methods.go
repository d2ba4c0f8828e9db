package partition

// A Method partitions points. Its error says which argument is malformed.
type Method func(p Points, parts int, o Options) (*Partition, error)

// Methods lists the methods by name, in the order of the papers' tables.
var Methods = []struct {
	Name string
	Method
}{{"rcb", RCB}, {"rib", RIB}, {"hsfc", HSFC}, {"norcb", NoRCB}, {"flow", Flow}, {"spokes", Spokes}, {"drift", Drift}}

// RCB is recursive coordinate bisection. Every cut goes across the longest side of its box, or the first of them if
// several are equally long. The first box is the bounding box. Each cut divides its box in two.
//
// Source: Berger and Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", IEEE Trans.
// Computers C-36, 1987; details from Zoltan, src/rcb.
func RCB(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	return bisect(p, parts, o, false, longestSide), nil
}

func longestSide(b *bisection, n *node, _ *worker) cut { return axis(b.longest(n.from, n.to)) }

// RIB is recursive inertial bisection. Every cut is orthogonal to the axis along which the weighted points of its set
// spread most. This axis is the eigenvector of the largest eigenvalue of the points' covariance.
//
// Source: Taylor and Nour-Omid, "A study of the factorization fill-in for a parallel implementation of the finite
// element method", Int. J. Numer. Meth. Engng. 37, 1994; details from Zoltan, src/rcb/inertial2d.c.
func RIB(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	return bisect(p, parts, o, false, largestSpread), nil
}

func largestSpread(b *bisection, n *node, w *worker) cut {
	if n.lo == n.hi {
		return axis(0)
	}
	weight, _ := b.weights(n, w)
	m := b.moments(n, weight, needPlaces, w)
	_, vector := eigen(m.cov)
	return cut{shape: plane, normal: b.flat(vector[0])}
}

// flat scales normal to length 1. In two dimensions it first drops the third component.
func (b *bisection) flat(normal [3]float64) [3]float64 {
	if b.dim == 2 {
		normal[2] = 0
	}
	normal, length := unit(normal)
	if length == 0 {
		return [3]float64{1, 0, 0}
	}
	return normal
}
