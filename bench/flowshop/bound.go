package flowshop

// lanes is the largest number of jobs and of machines that the kernels can handle.
const lanes = 32

// row has a number for every job or machine. Makespans of up to 32 jobs and machines with times below 256 fit into 16
// bits, see NewSearch.
type row [lanes]int16

// node has the data on which the bounds of a sub-problem's children depend. Jobs are fixed at both ends of the order,
// and the free jobs lie between them. The assembly depends on this layout.
type node struct {
	front  row    // for each machine, when it is free after the jobs at the front
	back   row    // for each machine, the time from when it starts the first job at the back until all jobs have ended
	remain row    // for each machine, the sum of the times of the free jobs
	free   uint32 // a bit for each free job
}

// limits are values with which the bounds of children are compared.
type limits struct {
	prune     int16 // children with this bound or more cannot improve the best order
	reference int16 // bound with which the branching rules compare; the same during a run
}

// children has the bounds of a node's children, with each job once at the front and once at the back, and a bit for
// each child that is below the limits. Entries of jobs that are already fixed are undefined. The assembly depends on
// this layout.
type children struct {
	bounds    [2]row // bounds of children at the front, and at the back
	surviving [2]uint32
	reference [2]uint32
}

// These are the two ends of an order.
const (
	atFront = 0
	atBack  = 1
)

// bound computes one-machine bounds. For every machine the bound is the time when the child's remaining jobs can begin
// there, plus the sum of their times, plus the time that must follow. times has a row for every machine. Source:
// Lageweg, Lenstra and Rinnooy Kan, "A general bounding scheme for the permutation flow-shop problem", Operations
// Research 26(1), 1978.
func bound(n *node, times []row, limits *limits, out *children) {
	m := len(times)
	for j := range lanes {
		var time, bound [2]int16
		for k := range m {
			// At the back the computation is the same with the machines reversed.
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

// compare sets the bits of children whose bounds are below the limits.
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

// place makes the node of the child in which job number, with the given times, is fixed at an end.
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
