package flowshop

// lanes is the most jobs that the kernels can hold, and the most machines.
const lanes = 32

// row is a number for every job or machine. Makespans of up to 32 jobs and
// machines with times below 256 fit 16 bits, see NewSearch.
type row [lanes]int16

// node is what the bounds of a sub-problem's children need: jobs are fixed at
// both ends of the order, the free ones lie between. The assembly knows this
// layout.
type node struct {
	front  row    // by machine: when it is free after the jobs at the front
	back   row    // by machine: from the first job at the back on it to the end of all
	remain row    // by machine: the sum of times of the jobs in between
	free   uint32 // a bit for each of these
}

// limits are bounds that children are compared with.
type limits struct {
	prune     int16 // children from here on cannot improve the best order
	reference int16 // decides where to branch
}

// children are the bounds of a node's children, each job once at the front and
// once at the back, and a bit for each that is below the limits. Entries of jobs
// that are fixed already are undefined. The assembly knows this layout.
type children struct {
	bounds    [2]row // at the front, at the back
	surviving [2]uint32
	reference [2]uint32
}

// The two ends of an order.
const (
	atFront = 0
	atBack  = 1
)

// bound finds one-machine bounds: on every machine, when the child's remaining
// jobs can begin there, their sum, and what must follow. times has a row for
// every machine. Source: Lageweg, Lenstra and Rinnooy Kan, "A general bounding
// scheme for the permutation flow-shop problem", Operations Research 26(1), 1978.
func bound(n *node, times []row, limits *limits, out *children) {
	m := len(times)
	for j := range lanes {
		var time, bound [2]int16
		for k := range m {
			// At the back the problem is the same with the machines reversed.
			begin := max(n.front[k], time[atFront])
			bound[atFront] = max(bound[atFront], begin+n.remain[k]+n.back[k])
			time[atFront] = begin + times[k][j]
			k := m - 1 - k
			begin = max(n.back[k], time[atBack])
			bound[atBack] = max(bound[atBack], begin+n.remain[k]+n.front[k])
			time[atBack] = begin + times[k][j]
		}
		out.bounds[atFront][j], out.bounds[atBack][j] = bound[atFront], bound[atBack]
	}
	out.compare(limits)
}

// compare fills in the bits.
func (c *children) compare(l *limits) {
	c.surviving, c.reference = [2]uint32{}, [2]uint32{}
	for end := range c.bounds {
		for j, b := range c.bounds[end] {
			if b < l.prune {
				c.surviving[end] |= 1 << j
			}
			if b < l.reference {
				c.reference[end] |= 1 << j
			}
		}
	}
}

// place makes the node of a child: a job with the times given is put at an end.
func (n *node) place(end, number int, job *row, machines int, child *node) {
	child.free = n.free &^ (1 << number)
	if end == atFront {
		child.back = n.back
		last := int16(0)
		for k, t := range job[:machines] {
			last = max(last, n.front[k]) + t
			child.front[k] = last
			child.remain[k] = n.remain[k] - t
		}
		return
	}
	child.front = n.front
	last := int16(0)
	for k := machines - 1; k >= 0; k-- {
		last = max(last, n.back[k]) + job[k]
		child.back[k] = last
		child.remain[k] = n.remain[k] - job[k]
	}
}
