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

// curveLine is an application in a file of curves: the cost of balancing, the
// mean load of every iteration, and the growth of I = m/mu - 1 at the ages 0, 1,
// 2, ... in iterations since a balancing.
type curveLine struct {
	Name string    `json:"name"`
	C    *float64  `json:"C"`
	Mu   []float64 `json:"mu"`
	Iota []float64 `json:"iota"`
}

// maxCurveLine bounds a line of a file of curves, so that a file without line
// ends cannot take all memory; 256 MiB hold some ten million iterations.
const maxCurveLine = 256 << 20

// runCurves runs every application of a file. All are read and checked before
// the first is run.
func runCurves(ctx context.Context, file string, p *printer) error {
	f, err := os.Open(file)
	if err != nil {
		return report.NewInputError(file, err)
	}
	defer f.Close()
	names, apps, err := readCurves(f, file)
	if err != nil {
		return err
	}
	for i, app := range apps {
		results, err := compare(ctx, app, app.Cost())
		if err != nil {
			return err
		}
		p.named(names[i], 0, results)
	}
	return p.failed()
}

// readCurves reads a file of curves, at least one. Empty lines are skipped, keys
// that it does not know are ignored.
func readCurves(r io.Reader, file string) (names []string, apps []*scenario.Curves, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxCurveLine)
	line := 0
	for lines.Scan() {
		line++
		if len(lines.Bytes()) == 0 {
			continue
		}
		name, app, err := readCurve(lines.Bytes())
		if err != nil {
			return nil, nil, &report.InputError{File: file, Line: line, Err: err}
		}
		names, apps = append(names, name), append(apps, app)
	}
	if err := lines.Err(); err != nil {
		return nil, nil, &report.InputError{File: file, Line: line + 1, Err: err}
	}
	if len(apps) == 0 {
		return nil, nil, &report.InputError{File: file, Err: errors.New("no applications")}
	}
	return names, apps, nil
}

func readCurve(b []byte) (string, *scenario.Curves, error) {
	var c curveLine
	if err := json.Unmarshal(b, &c); err != nil {
		return "", nil, err
	}
	if c.Name == "" {
		return "", nil, errors.New(`no "name"`)
	}
	if c.C == nil {
		return "", nil, fmt.Errorf(`%q has no "C"`, c.Name)
	}
	app, err := scenario.NewCurves(*c.C, c.Mu, c.Iota)
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", c.Name, err)
	}
	return c.Name, app, nil
}
