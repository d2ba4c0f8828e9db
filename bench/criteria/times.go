package criteria

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/bench/report"
)

// A timesTable is the content of a file of measured times.
type timesTable struct {
	// seconds holds the times by iteration and rank.
	seconds [][]float64
	// reading says how the columns were interpreted.
	reading string
	// balanced holds the iterations before which the work was balanced, if the file says so.
	balanced []int
}

// Limits on files of times. A file with other contents could otherwise use up all memory.
const (
	maxTimes      = 100_000_000 // iterations times ranks
	maxIterations = 10_000_000
	maxRanks      = 1_000_000
	// maxSeconds is the largest valid time of an iteration. The reader of recorded loads has the same limit.
	maxSeconds = 1e9
)

// Regular expressions for names of columns and units of time, in lower case.
var (
	iterationWords = regexp.MustCompile(`^(iter(ation)?s?|it|steps?|time_?steps?|cycles?|frames?|epochs?)(_?(id|no|number|index))?$`)
	rankWords      = regexp.MustCompile(`^(mpi_?)?(ranks?|pes?|proc(ess(or)?)?s?|threads?|workers?|nodes?|cores?|elements?)(_?(id|no|number|index))?$`)
	secondsWords   = regexp.MustCompile(`^(times?|seconds?|secs?|s|durations?|elapsed|loads?|work|cpu_?time|wall_?time|compute(_?time)?)([ _(\[]*(ns|us|µs|ms|s|secs?|seconds?)[)\]]*)?$`)
	unitAtEnd      = regexp.MustCompile(`[ _(\[](ns|us|µs|ms)[)\]]*$|^(ns|us|µs|ms)$`)
)

// readTimes reads a file of times. The file is one of:
//
//   - rows of iteration, rank and seconds, in any order;
//   - a matrix with a row for each iteration and a column for each rank;
//   - a JSON file of the vt runtime, see readVT.
//
// Fields are separated by commas, semicolons, tabs or blanks. Columns are recognized by their names. Without names the
// numbers in the first columns decide which kind of table it is.
func readTimes(file string) (*timesTable, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, report.NewInputError(file, err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if isJSON(in) {
		return readVT(file)
	}
	rows, lines, err := readFields(in)
	if err != nil {
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return nil, &report.InputError{File: file, Line: bad.Line, Err: bad.Err}
		}
		return nil, report.NewInputError(file, err)
	}
	t, line, err := newTimesTable(rows, lines)
	if err != nil {
		return nil, &report.InputError{File: file, Line: line, Err: err}
	}
	return t, nil
}

// isJSON reports whether a file begins like a JSON object.
func isJSON(in *bufio.Reader) bool {
	start, _ := in.Peek(512)
	return strings.HasPrefix(strings.TrimSpace(string(start)), "{")
}

// readFields splits a file into rows of fields. It also returns the line number of each row. It skips empty lines and
// comments.
func readFields(in *bufio.Reader) (rows [][]string, lines []int, err error) {
	start, err := in.Peek(32 << 10)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	c := csv.NewReader(in)
	c.Comment, c.FieldsPerRecord, c.TrimLeadingSpace = '#', -1, true
	first := ""
	for line := range strings.Lines(string(start)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			first = line
			break
		}
	}
	for _, comma := range ",;\t " {
		if strings.ContainsRune(first, comma) {
			c.Comma = comma
			break
		}
	}
	for total := 0; ; {
		row, err := c.Read()
		if err == io.EOF {
			return rows, lines, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if c.Comma == ' ' {
			row = slices.DeleteFunc(row, func(s string) bool { return s == "" })
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if total += len(row); total > 3*maxTimes {
			return nil, nil, fmt.Errorf("more than %d fields", 3*maxTimes)
		}
		line, _ := c.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
}

// newTimesTable recognizes the columns and returns the table. On an error, line is the number of the wrong line, or 0.
func newTimesTable(rows [][]string, lines []int) (t *timesTable, line int, err error) {
	if len(rows) == 0 {
		return nil, 0, errors.New("no rows of times")
	}
	var header []string
	if slices.ContainsFunc(rows[0], func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err != nil }) {
		header, rows, lines = rows[0], rows[1:], lines[1:]
		for i := range header {
			header[i] = strings.ToLower(header[i])
		}
	}
	find := func(words *regexp.Regexp) int { return slices.IndexFunc(header, words.MatchString) }
	iteration, rank, seconds := find(iterationWords), find(rankWords), find(secondsWords)
	switch {
	case iteration >= 0 && rank >= 0 && seconds >= 0:
		how := fmt.Sprintf("columns %q, %q and %q for iteration, rank and time", header[iteration], header[rank], header[seconds])
		return newLongTable(rows, lines, [3]int{iteration, rank, seconds}, unitOf(header[seconds]), how)
	case header == nil && len(rows[0]) == 3 && isCountColumn(rows, 0) && isCountColumn(rows, 1) && !isMatrixOfThree(rows):
		return newLongTable(rows, lines, [3]int{0, 1, 2}, 1, "the three columns for iteration, rank and seconds")
	case len(header) == 3 && iteration < 0 && rank < 0:
		return nil, 1, fmt.Errorf("the columns %q: expected names such as iteration, rank and seconds, or one for each rank beside iteration", header)
	}
	return newMatrixTable(rows, lines, iteration)
}

// unitOf returns the unit at the end of a column's name, in seconds, or 1 if there is none.
func unitOf(name string) float64 {
	m := unitAtEnd.FindString(name)
	switch {
	case strings.Contains(m, "ns"):
		return 1e-9
	case strings.Contains(m, "us"), strings.Contains(m, "µs"):
		return 1e-6
	case strings.Contains(m, "ms"):
		return 1e-3
	}
	return 1
}

// isCountColumn reports whether a column can hold numbers of iterations or ranks, because all are integers of at least
// 0.
func isCountColumn(rows [][]string, column int) bool {
	for _, row := range rows {
		if column >= len(row) {
			return false
		}
		if n, err := strconv.ParseInt(row[column], 10, 64); err != nil || n < 0 {
			return false
		}
	}
	return true
}

// isMatrixOfThree reports whether a file with three columns is a matrix. It is one if the first fields of the rows are
// all different. In rows of iteration, rank and seconds, an iteration occurs once for each rank.
func isMatrixOfThree(rows [][]string) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row[0]] {
			return false
		}
		seen[row[0]] = true
	}
	return len(rows) > 1
}

// newLongTable reads rows of iteration, rank and time. It adds up times of the same iteration and rank.
func newLongTable(rows [][]string, lines []int, columns [3]int, unit float64, how string) (*timesTable, int, error) {
	at, ranks := map[[2]int]float64{}, map[int]bool{}
	first, last := math.MaxInt, -1
	for i, row := range rows {
		if len(row) <= slices.Max(columns[:]) {
			return nil, lines[i], fmt.Errorf("%d fields; expected %d at least", len(row), slices.Max(columns[:])+1)
		}
		var key [2]int
		for j, most := range [2]int{maxIterations, maxRanks} {
			n, err := strconv.Atoi(row[columns[j]])
			if err != nil || n < 0 || n > most {
				return nil, lines[i], fmt.Errorf("%q: expected the number of an iteration or a rank, 0 to %d", row[columns[j]], most)
			}
			key[j] = n
		}
		s, err := parseTime(row[columns[2]], unit)
		if err != nil {
			return nil, lines[i], err
		}
		at[key] += s
		ranks[key[1]] = true
		first, last = min(first, key[0]), max(last, key[0])
	}
	if last < 0 {
		return nil, 0, errors.New("no rows of times")
	}
	names := make([]int, 0, len(ranks))
	for r := range ranks {
		names = append(names, r)
	}
	slices.Sort(names)
	if (last-first+1)*len(names) > maxTimes {
		return nil, 0, fmt.Errorf("%d iterations of %d ranks; at most %d times are possible", last-first+1, len(names), maxTimes)
	}
	t := &timesTable{reading: how}
	for i := first; i <= last; i++ {
		row := make([]float64, len(names))
		for j, r := range names {
			s, ok := at[[2]int{i, r}]
			if !ok {
				return nil, 0, fmt.Errorf("iteration %d has no time of rank %d", i, r)
			}
			row[j] = s
		}
		t.seconds = append(t.seconds, row)
	}
	return t, 0, nil
}

// newMatrixTable reads a matrix with a row for each iteration and a column for each rank. iteration is the column with
// the numbers of the iterations. If it is -1 and the first column counts up, the first column has these numbers.
func newMatrixTable(rows [][]string, lines []int, iteration int) (*timesTable, int, error) {
	if iteration < 0 && len(rows) > 1 && len(rows[0]) > 1 && isFirstColumnCounting(rows) {
		iteration = 0
	}
	t := &timesTable{reading: "a row for each iteration and a column for each rank"}
	if iteration >= 0 {
		t.reading += ", beside one of iterations"
	}
	for i, row := range rows {
		var times []float64
		for j, field := range row {
			if j == iteration {
				continue
			}
			s, err := parseTime(field, 1)
			if err != nil {
				return nil, lines[i], err
			}
			times = append(times, s)
		}
		if len(times) == 0 {
			return nil, lines[i], errors.New("no time of any rank")
		}
		if i > 0 && len(times) != len(t.seconds[0]) {
			return nil, lines[i], fmt.Errorf("%d times; expected as many as in the row before, %d", len(times), len(t.seconds[0]))
		}
		t.seconds = append(t.seconds, times)
	}
	if len(t.seconds) == 0 {
		return nil, 0, errors.New("no rows of times")
	}
	return t, 0, nil
}

// isFirstColumnCounting reports whether the first column counts up by one from row to row.
func isFirstColumnCounting(rows [][]string) bool {
	if !isCountColumn(rows, 0) {
		return false
	}
	for i := 1; i < len(rows); i++ {
		a, _ := strconv.Atoi(rows[i-1][0])
		if b, _ := strconv.Atoi(rows[i][0]); b != a+1 {
			return false
		}
	}
	return true
}

func parseTime(field string, unit float64) (float64, error) {
	s, err := strconv.ParseFloat(field, 64)
	if err != nil || !(s >= 0) || s*unit > maxSeconds {
		return 0, fmt.Errorf("%q: expected a time of 0 to %v seconds", field, float64(maxSeconds))
	}
	return s * unit, nil
}
