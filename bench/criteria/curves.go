package criteria

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// A curveLine is a line of a file of curves. It describes one application. The imbalance of an iteration is I = m/mu -
// 1, with the largest load m and the mean load mu. An application may have both Iota and IotaTime.
type curveLine struct {
	Name string    `json:"name"`
	C    *float64  `json:"C"`  // cost of a balancing
	Mu   []float64 `json:"mu"` // mean load of each iteration
	// growth of I from age k to age k+1; the age is the number of iterations since a balancing
	Iota []float64 `json:"iota"`
	// Growth of I after the iterations 0, 1, 2, ..., no matter when the work is balanced.
	IotaTime []float64 `json:"iota_time"`
	Floor    []float64 `json:"floor"` // for each iteration: the part of I that no balancing removes
}

// application returns the application of the line. If its imbalance depends on the age alone, the result is a
// scenario.Curves. The search for the optimum is faster for it.
func (c curveLine) application() (scenario.Application, error) {
	if c.IotaTime == nil && c.Floor == nil {
		return scenario.NewCurves(*c.C, c.Mu, c.Iota)
	}
	return scenario.NewDrift(*c.C, c.Mu, scenario.Laws{ByAge: c.Iota, ByTime: c.IotaTime, Floor: c.Floor})
}

// A curve holds what one line of a file of curves describes: an application, its name and the cost of a balancing.
type curve struct {
	name string
	cost float64
	app  scenario.Application
}

// maxCurveLine limits the length of a line in a file of curves. A file without line ends could otherwise use up all
// memory. 256 MiB hold some ten million iterations.
const maxCurveLine = 256 << 20

// runCurves runs every application of a file. It reads and checks all of them first.
func (c *Experiment) runCurves(ctx context.Context, p *printer) error {
	file := string(c.Curves)
	f, err := os.Open(file)
	if err != nil {
		return report.NewInputError(file, err)
	}
	defer f.Close()
	all, err := readCurves(f, file)
	if err != nil {
		return err
	}
	if c.Family {
		return runFamilies(ctx, all, p)
	}
	for _, k := range all {
		results, err := runCriteria(ctx, k.app, k.cost)
		if err != nil {
			return err
		}
		if results, err = c.addBest(ctx, k.app, results); err != nil {
			return err
		}
		p.printNamed(k.name, 0, results)
	}
	return p.printError()
}

// readCurves reads a file with at least one curve. It skips empty lines and ignores unknown keys.
func readCurves(r io.Reader, file string) (all []curve, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxCurveLine)
	line := 0
	for lines.Scan() {
		line++
		if len(lines.Bytes()) == 0 {
			continue
		}
		k, err := readCurve(lines.Bytes())
		if err != nil {
			return nil, &report.InputError{File: file, Line: line, Err: err}
		}
		all = append(all, k)
	}
	if err := lines.Err(); err != nil {
		return nil, &report.InputError{File: file, Line: line + 1, Err: err}
	}
	if len(all) == 0 {
		return nil, &report.InputError{File: file, Err: errors.New("no applications")}
	}
	return all, nil
}

func readCurve(b []byte) (curve, error) {
	var c curveLine
	if err := json.Unmarshal(b, &c); err != nil {
		return curve{}, err
	}
	if c.Name == "" {
		return curve{}, errors.New(`no "name"`)
	}
	if c.C == nil {
		return curve{}, fmt.Errorf(`%q has no "C"`, c.Name)
	}
	app, err := c.application()
	if err != nil {
		return curve{}, fmt.Errorf("%q: %w", c.Name, err)
	}
	return curve{c.Name, *c.C, app}, nil
}
