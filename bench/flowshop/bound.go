package flowshop

// lanes is the number of elements of a row. So it is also the largest number of jobs, and the largest number of
// machines.
const lanes = 32

// A row holds a number for every job or for every machine. NewSearch checks that makespans fit into 16 bits.
type row [lanes]int16

// A node is a sub-problem: some jobs are fixed at both ends of the order, and the free jobs come between them in any
// order. A child has one more job fixed. The assembly depends on this layout.
type node struct {
	front row // for each machine: the time when it has done the jobs at the front
	// back holds, for each machine, the time from its start of the first job at the back until all jobs have ended.
	back   row
	remain row    // for each machine: the sum of the processing times of the free jobs
	free   uint32 // a bit for each free job
}

// A limits holds the values with which the bounds of children are compared.
type limits struct {
	prune     int16 // children with this bound or more cannot improve the best order
	reference int16 // reference bound of the branching rules, see Search
}

// A children holds two bounds for each job. One is of the child that fixes this job at the front, the other of the
// child that fixes it at the back. Elements of jobs that are fixed in the node are undefined. The assembly depends on
// this layout.
type children struct {
	bounds    [2]row    // by atFront and atBack, then by job
	surviving [2]uint32 // bits of the jobs whose bound is below limits.prune
	reference [2]uint32 // bits of the jobs whose bound is below limits.reference
}

// Ends of an order, as indices.
const (
	atFront = 0
	atBack  = 1
)

// bound computes the one-machine bounds of a node's children and compares them with the limits. times has a row for
// every machine. For each machine three times are added: the time at which the child's free jobs can begin on the
// machine, the time that they take there, and the least time of everything after them. The bound is the largest of
// these sums. Source: Lageweg, Lenstra and Rinnooy Kan, "A general bounding scheme for the permutation flow-shop
// problem", Operations Research 26(1), 1978.
func bound(n *node, times []row, limits *limits, out *children) {
	m := len(times)
	for j := range lanes {
		var time, bound [2]int16
		for k := range m {
			// For children at the back, time runs in the opposite direction, and the machines are visited from the last
			// to the first.
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
	out.compareBounds(limits)
}

// compareBounds sets the fields `surviving` and `reference`.
func (c *children) compareBounds(l *limits) {
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

// fixJob sets child to the child of n in which job number is fixed at an end. job holds the job's times.
func (n *node) fixJob(end, number int, job *row, machines int, child *node) {
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
