package tables

import (
	"math"
	"slices"
)

// A paperRow is a row of Table 2 or 3 of Ahrens and Hansen (ICPP 1995). It holds the paper's times, and the counts of
// our data set with the paper's rule. The constants of the machine cm5 are fitted so that the counts give the paper's
// times.
type paperRow struct {
	set                dataset
	scan, zbuffer      counts
	original, balanced []float64 // seconds, one for each number in paperProcessors
	highest, spans     float64   // table 1's maximum and average number of scan lines per polygon
}

// chessColour divides the cells of the tables into two halves, as the fields of a chessboard are coloured. It returns
// the half of a cell, 0 or 1. processors is an index into paperProcessors.
func chessColour(r paperRow, processors int) int {
	return (r.set.view + slices.Index(versions, r.set.version) + processors) % 2
}

// paperRows returns the rows of the paper's tables, for the data sets that the paper has. The workloads in sets must
// have been stretched to the paper's Table 1.
func paperRows(sets []dataset) ([]paperRow, error) {
	model, err := fixedThreshold(cm5Threshold)
	if err != nil {
		return nil, err
	}
	var rows []paperRow
	for _, set := range sets {
		if paperWorkloads[set.version] == nil {
			continue
		}
		paper := paperWorkloads[set.version][set.view]
		r := paperRow{set: set, highest: float64(paper.max), spans: float64(paper.avg)}
		for _, cell := range paperSeconds[set.version][set.view] {
			r.original, r.balanced = append(r.original, cell.or), append(r.balanced, cell.lb)
		}
		for l, into := range []*counts{&r.scan, &r.zbuffer} {
			run, err := paperRule.countPhases(set.loops[l], model)
			if err != nil {
				return nil, err
			}
			*into = run.counts
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// fitOriginal returns a machine whose fixed part and loads are fitted to the times without balancing, by least squares
// of relative errors. The model of the time on P processors is
//
//	T = fixed*highest + load/P
//
// where fixed is the same for all rows, load belongs to the row, and highest is the row's maximum in Table 1. T is
// linear in load. So for a given fixed part the best load of a row can be computed directly.
func fitOriginal(rows []paperRow) *cm5 {
	c := &cm5{load: make(map[string][]float64)}
	var above, below float64
	sums := func(r paperRow) (x, y, xx, xy, yy float64) {
		for i, t := range r.original {
			u, v := r.highest/t, 1/(float64(paperProcessors[i])*t)
			x, y, xx, xy, yy = x+u, y+v, xx+float64(u*u), xy+float64(u*v), yy+float64(v*v)
		}
		return
	}
	for _, r := range rows {
		x, y, xx, xy, yy := sums(r)
		above += x - xy*y/yy
		below += xx - xy*xy/yy
	}
	c.fixed = above / below
	for _, r := range rows {
		_, y, _, xy, yy := sums(r)
		c.load[r.set.version] = append(c.load[r.set.version], (y-c.fixed*xy)/yy)
	}
	return c
}

// fitBalanced sets c.look, c.redistribution and c.pixel. It fits them, by least squares of relative errors, to the
// balanced times of the cells for which the function `include` returns true. Times are linear in the first two
// constants. For pixel it tries all multiples of 0.001 below 1.
func (c *cm5) fitBalanced(rows []paperRow, include func(r paperRow, processors int) bool) {
	least := math.Inf(1)
	best := *c
	for thousandths := range 1000 {
		c.pixel = float64(thousandths) / 1000
		var ll, lr, rr, lt, rt, tt float64
		for _, r := range rows {
			for i, p := range paperProcessors {
				if !include(r, i) {
					continue
				}
				at := func(look, redistribution float64) float64 {
					c.look, c.redistribution = look, redistribution
					return c.predictBalanced(r, p) / r.balanced[i]
				}
				none := at(0, 0)
				look, move, rest := at(1, 0)-none, at(0, 1)-none, 1-none
				ll, lr, rr = ll+float64(look*look), lr+float64(look*move), rr+float64(move*move)
				lt, rt, tt = lt+float64(look*rest), rt+float64(move*rest), tt+float64(rest*rest)
			}
		}
		det := float64(ll*rr) - float64(lr*lr)
		c.look = max(0, (float64(lt*rr)-float64(rt*lr))/det)
		c.redistribution = max(0, (float64(rt*ll)-float64(lt*lr))/det)
		l, r := c.look, c.redistribution
		if error := tt - 2*(l*lt+r*rt) + l*l*ll + 2*l*r*lr + r*r*rr; error < least {
			least, best = error, *c
		}
	}
	*c = best
}

// predictBalanced returns the model's time of a row that is balanced with the paper's rule.
func (c *cm5) predictBalanced(r paperRow, processors int) (seconds float64) {
	for i, m := range c.newLoops(r.set, processors) {
		seconds += balancedTime(m.phases(r.set.loops[i], typicalCost), []counts{r.scan, r.zbuffer}[i]).total() / 1e9
	}
	return seconds
}

// predictOriginal returns the model's time of a row without balancing.
func (c *cm5) predictOriginal(r paperRow, processors int) (seconds float64) {
	for i, m := range c.newLoops(r.set, processors) {
		seconds += originalTime(m.phases(r.set.loops[i], typicalCost), int(r.set.loops[i].Max)) / 1e9
	}
	return seconds
}

// A fitted is the fitted machine, with the rows of the tables and the relative deviations of its times from the
// paper's.
type fitted struct {
	machine    *cm5
	rows       []paperRow
	original   [][]float64 // deviations without balancing, by row and number of processors
	balanced   [][]float64 // deviations with balancing
	otherViews [][]float64 // with balancing; the constants for a cell are fitted to the other three views
	// halves holds the deviations of the times with balancing. The constants for a cell are fitted to the cells of the
	// other half (see chessColour). The two versions of the data set cannot be used as halves, because the balanced
	// version has no redistribution to fit.
	halves [][]float64
}

// fitTables fits the machine to the paper's tables. It ignores data sets that the paper does not have. The workloads in
// sets must have been stretched to the paper's Table 1.
func fitTables(sets []dataset) (*fitted, error) {
	rows, err := paperRows(sets)
	if err != nil {
		return nil, err
	}
	c := fitOriginal(rows)
	c.fitBalanced(rows, func(paperRow, int) bool { return true })
	logs := 0.0
	for _, r := range rows {
		load := c.newLoops(r.set, 1)[0].(cm5Loop).load
		logs += math.Log(load/float64(r.set.loops[0].virtualProcessors())) / float64(len(rows))
	}
	c.step = math.Exp(logs)
	f := &fitted{machine: c, rows: rows}
	f.original, f.balanced = c.deviations(rows)
	f.otherViews = c.crossValidate(rows, func(r paperRow, _ int) int { return r.set.view })
	f.halves = c.crossValidate(rows, chessColour)
	return f, nil
}

// deviations returns the relative deviations of the model's times from the paper's, by row and number of processors.
// The result `or` is for times without balancing, and `lb` for times with balancing.
func (c *cm5) deviations(rows []paperRow) (or, lb [][]float64) {
	for _, r := range rows {
		var o, b []float64
		for i, p := range paperProcessors {
			o = append(o, c.predictOriginal(r, p)/r.original[i]-1)
			b = append(b, c.predictBalanced(r, p)/r.balanced[i]-1)
		}
		or, lb = append(or, o), append(lb, b)
	}
	return or, lb
}

// crossValidate returns the relative deviations of the balanced times of every cell, by row and number of processors.
// The cells are divided into groups, the folds. The constants for a cell are fitted to the cells of the other folds.
// fold returns the number of a cell's fold, from the cell's row and its index in paperProcessors.
func (c *cm5) crossValidate(rows []paperRow, fold func(r paperRow, processors int) int) (lb [][]float64) {
	fits := map[int]*cm5{}
	for _, r := range rows {
		var row []float64
		for i, p := range paperProcessors {
			held := fold(r, i)
			if fits[held] == nil {
				other := *c
				other.fitBalanced(rows, func(q paperRow, processors int) bool { return fold(q, processors) != held })
				fits[held] = &other
			}
			row = append(row, fits[held].predictBalanced(r, p)/r.balanced[i]-1)
		}
		lb = append(lb, row)
	}
	return lb
}

// meanAndMax returns the mean and the largest absolute deviation.
func meanAndMax(deviations [][]float64) (mean, most float64) {
	n := 0
	for _, row := range deviations {
		for _, d := range row {
			mean, most, n = mean+math.Abs(d), max(most, math.Abs(d)), n+1
		}
	}
	return mean / float64(n), most
}
