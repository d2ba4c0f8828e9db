// Package flowshop solves the permutation flow-shop problem: jobs pass through machines, in the same order on every
// machine; find the order that finishes first. It has Taillard's instances, two lower bounds, a heuristic, and a
// branch-and-bound search. The permutations are numbered. Intervals of numbers describe the work of the search, and
// lb/overlay shares them among peers.
package flowshop

import (
	"fmt"
	"slices"
)

// An Instance holds the processing times of jobs on machines.
type Instance struct {
	Name     string
	Jobs     int
	Machines int
	Times    [][]int // by machine and job
	// Best is the optimal makespan, or 0 if it is not known. The makespan of an order is the time when its last job is
	// done.
	Best int
}

// A sizeClass holds the seeds of Taillard's ten instances of a size.
type sizeClass struct {
	jobs, machines int
	seeds          [10]int32
}

// classes are the sizes of instances, in the order of Taillard's numbers. Source: E. Taillard, "Benchmarks for basic
// scheduling problems", European Journal of Operational Research 64(2), 1993.
var classes = []sizeClass{
	{20, 5, [10]int32{873654221, 379008056, 1866992158, 216771124, 495070989, 402959317, 1369363414, 2021925980, 573109518, 88325120}},
	{20, 10, [10]int32{587595453, 1401007982, 873136276, 268827376, 1634173168, 691823909, 73807235, 1273398721, 2065119309, 1672900551}},
	{20, 20, [10]int32{479340445, 268827376, 1958948863, 918272953, 555010963, 2010851491, 1519833303, 1748670931, 1923497586, 1829909967}},
	{50, 5, [10]int32{1328042058, 200382020, 496319842, 1203030903, 1730708564, 450926852, 1303135678, 1273398721, 587288402, 248421594}},
	{50, 10, [10]int32{1958948863, 575633267, 655816003, 1977864101, 93805469, 1803345551, 49612559, 1899802599, 2013025619, 578962478}},
	{50, 20, [10]int32{1539989115, 691823909, 655816003, 1315102446, 1949668355, 1923497586, 1805594913, 1861070898, 715643788, 464843328}},
	{100, 5, [10]int32{896678084, 1179439976, 1122278347, 416756875, 267829958, 1835213917, 1328833962, 1418570761, 161033112, 304212574}},
	{100, 10, [10]int32{1539989115, 655816003, 960914243, 1915696806, 2013025619, 1168140026, 1923497586, 167698528, 1528387973, 993794175}},
	{100, 20, [10]int32{450926852, 1462772409, 1021685265, 83696007, 508154254, 1861070898, 26482542, 444956424, 2115448041, 118254244}},
	{200, 10, [10]int32{471503978, 1215892992, 135346136, 1602504050, 160037322, 551454346, 519485142, 383947510, 1968171878, 540872513}},
	{200, 20, [10]int32{2013025619, 475051709, 914834335, 810642687, 1019331795, 2056065863, 1342855162, 1325809384, 1988803007, 765656702}},
	{500, 20, [10]int32{1368624604, 450181436, 1927888393, 1759567256, 606425239, 19268348, 1298201670, 2041736264, 379756761, 28837162}},
}

// optima are the optimal makespans of Ta21 to Ta30.
var optima = [10]int{2297, 2099, 2326, 2223, 2291, 2226, 2273, 2200, 2237, 2178}

// Taillard returns Taillard's instance number 1 to 120.
func Taillard(number int) (*Instance, error) {
	if number < 1 || number > 10*len(classes) {
		return nil, fmt.Errorf("no instance Ta%d: expected Ta1 to Ta%d", number, 10*len(classes))
	}
	c := classes[(number-1)/10]
	in := Generate(c.jobs, c.machines, c.seeds[(number-1)%10])
	in.Name = fmt.Sprintf("Ta%02d", number)
	if number > 20 && number <= 30 {
		in.Best = optima[number-21]
	}
	return in, nil
}

// Generate returns the instance that Taillard's generator makes from a seed. The generator fills machine after machine
// with times from 1 to 99.
func Generate(jobs, machines int, seed int32) *Instance {
	in := &Instance{Name: fmt.Sprintf("%dx%d/%d", jobs, machines, seed), Jobs: jobs, Machines: machines}
	for range machines {
		row := make([]int, jobs)
		for j := range row {
			seed = nextRandom(seed)
			// Taillard rounds this quotient down too, so integer division gives the same times.
			row[j] = 1 + int(int64(seed)*99/lehmerModulus)
		}
		in.Times = append(in.Times, row)
	}
	return in
}

const lehmerModulus = 1<<31 - 1

// nextRandom returns the number after seed in the minimal standard generator of Park and Miller.
func nextRandom(seed int32) int32 { return int32(int64(seed) * 16807 % lehmerModulus) }

// Makespan returns the time when the last job of a permutation leaves the last machine.
func (in *Instance) Makespan(order []int) int {
	done, last := make([]int, in.Machines), 0
	for _, j := range order {
		last = 0
		for k := range done {
			last = max(done[k], last) + in.Times[k][j]
			done[k] = last
		}
	}
	return last
}

// minHeadsAndTails returns two times for each machine: the least time that a job takes on all machines before it, and
// the least time that a job takes on all machines after it.
func (in *Instance) minHeadsAndTails() (heads, tails []int) {
	heads, tails = make([]int, in.Machines), make([]int, in.Machines)
	for j := range in.Jobs {
		head, tail := 0, 0
		for k := range in.Machines {
			back := in.Machines - 1 - k
			if j == 0 || head < heads[k] {
				heads[k] = head
			}
			if j == 0 || tail < tails[back] {
				tails[back] = tail
			}
			head += in.Times[k][j]
			tail += in.Times[back][j]
		}
	}
	return heads, tails
}

// LowerBound returns a lower bound of the makespan of all orders. For each machine it adds the times of all jobs, and
// the least times before and after the machine. The largest of these sums is the bound. Taillard gives the same bound.
func (in *Instance) LowerBound() int {
	heads, tails := in.minHeadsAndTails()
	bound := 0
	for k, row := range in.Times {
		sum := 0
		for _, t := range row {
			sum += t
		}
		bound = max(bound, heads[k]+sum+tails[k])
	}
	return bound
}

// jobsInOrder returns the jobs in the order of their numbers.
func (in *Instance) jobsInOrder() []int {
	order := make([]int, in.Jobs)
	for j := range order {
		order[j] = j
	}
	return order
}

// isPermutation reports whether an order has every job once.
func (in *Instance) isPermutation(order []int) bool {
	sorted := slices.Sorted(slices.Values(order))
	return slices.Equal(sorted, in.jobsInOrder())
}

// First returns an instance with the first jobs of in. If in has no more jobs, it returns in.
func (in *Instance) First(jobs int) *Instance {
	if jobs >= in.Jobs {
		return in
	}
	part := &Instance{Name: fmt.Sprintf("%s-%d", in.Name, jobs), Jobs: jobs, Machines: in.Machines}
	for _, row := range in.Times {
		part.Times = append(part.Times, row[:jobs:jobs])
	}
	return part
}
