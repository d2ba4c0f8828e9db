package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readAll reads all records of a trace, and its title.
func readAll(file string) (steps []Step, title string, err error) {
	r := NewReader(strings.NewReader(file))
	for {
		var s Step
		if err := r.Read(&s); err == io.EOF {
			return steps, r.Title(), nil
		} else if err != nil {
			return steps, r.Title(), err
		}
		steps = append(steps, s)
	}
}

// TestTraceFileRoundTrip writes records of any kind and reads them again.
func TestTraceFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(0, math.MaxInt32)
		word := rapid.SampledFrom([]string{"scan", "a \"b\"", "ü\\", Kept, Redistributed, Shared, None})
		amount := rapid.SampledFrom([]float64{0, 1, 2.5, 1e9})
		cost := rapid.SampledFrom([]float64{0, 1, 2.5, 1e9, math.Inf(1)})
		steps := make([]Step, rapid.IntRange(0, 20).Draw(t, "records"))
		for i := range steps {
			steps[i] = Step{
				Iteration: number.Draw(t, "iteration"), Iterations: int64(number.Draw(t, "iterations")), Unbalanced: int64(number.Draw(t, "unbalanced")),
				Processors: number.Draw(t, "processors"), Active: number.Draw(t, "active"), Max: int32(number.Draw(t, "max")),
				Sum: int64(number.Draw(t, "sum")), Tasks: int64(number.Draw(t, "tasks")),
				Savings: amount.Draw(t, "savings"), Cost: cost.Draw(t, "cost"),
				Decision: word.Draw(t, "decision"), Parts: number.Draw(t, "parts"), Redistributed: rapid.Bool().Draw(t, "redistributed"),
			}
			s := &steps[i]
			if rapid.Bool().Draw(t, "usual") {
				s.Iterations, s.Unbalanced, s.Tasks = 1, 1, int64(s.Active)
			}
			if s.Redistributed && s.Decision == None {
				s.Decision = Redistributed
			}
			if rapid.Bool().Draw(t, "placed") {
				s.Loop, s.Stage = word.Draw(t, "loop"), word.Draw(t, "stage")
				s.Frame, s.Block, s.Group = number.Draw(t, "frame"), number.Draw(t, "block"), number.Draw(t, "group")
			}
		}
		var file bytes.Buffer
		w, err := NewWriter(&file, "a \"title\"")
		if err != nil {
			t.Fatal(err)
		}
		for i := range steps {
			if err := w.Write(&steps[i]); err != nil {
				t.Fatal(err)
			}
		}
		got, title, err := readAll(file.String())
		if err != nil || title != "a \"title\"" || !slices.Equal(got, steps) {
			t.Fatalf("%q, %v\ngot  %+v\nwant %+v\n%s", title, err, got, steps, file.String())
		}
		for i := range steps {
			line, err := json.Marshal(steps[i])
			var back Step
			if err != nil || json.Unmarshal(line, &back) != nil || back != steps[i] {
				t.Fatalf("%s, %v: %+v", line, err, back)
			}
		}
	})
}

// TestTraceOfBareRecords reads lines that have only the mandatory keys.
func TestTraceOfBareRecords(t *testing.T) {
	steps, title, err := readAll(`{"iteration":0,"active":3,"max":7,"sum":9,"savings":3.5,"cost":3,"redistributed":false}

{"iteration":1,"active":1,"max":6,"sum":6,"savings":4,"cost":null,"redistributed":true,"unknown":[1,2]}`)
	want := []Step{
		{Iterations: 1, Unbalanced: 1, Active: 3, Max: 7, Sum: 9, Tasks: 3, Savings: 3.5, Cost: 3, Decision: None},
		{Iteration: 1, Iterations: 1, Unbalanced: 5, Active: 1, Max: 6, Sum: 6, Tasks: 1, Savings: 4, Cost: math.Inf(1),
			Decision: Redistributed, Redistributed: true},
	}
	if err != nil || title != "" || !slices.Equal(steps, want) {
		t.Errorf("%q, %v\ngot  %+v\nwant %+v", title, err, steps, want)
	}
}

// TestDamagedTraces checks that an error names the line and the cause.
func TestDamagedTraces(t *testing.T) {
	const good = `{"iteration":0,"active":3,"max":7,"sum":9,"savings":3.5,"cost":3,"redistributed":false}`
	for _, c := range []struct{ line, says string }{
		{`{"iteration":0,"active":3,"ma`, "no JSON object"},
		{`{}`, `no key "iteration"`},
		{`{"iteration":0,"active":3,"sum":1}`, `no key "max"`},
		{`{"iteration":0,"active":-3,"max":1,"sum":1}`, "active is -3"},
		{`{"iteration":0,"active":3,"max":3000000000,"sum":1}`, "max is 3000000000"},
		{`{"iteration":0,"active":3,"max":99999999999999999999,"sum":1}`, "max: number 99999999999999999999"},
		{`{"iteration":0,"active":3,"max":1.5,"sum":1}`, "max: number 1.5"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"cost":1e999}`, "1e999"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"savings":1e308}`, "savings is 1e+308"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"savings":-2e15}`, "savings is -2e+15"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"cost":1000000000000001}`, "cost is 1.000000000000001e+15"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"savings":null}`, "savings is null"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"loop":7}`, "loop: number makes no sense"},
		{`{"iteration":0,"active":3,"max":1,"sum":1,"loop":"` + strings.Repeat("x", 65) + `"}`, "65 bytes"},
		{`[1,2]`, "array, not an object"},
		{`null`, "no key"},
		{"\x89PNG\r", "no JSON object"},
		{`{"trace":2}`, "version 2"},
		{strings.Repeat(" ", 1<<17), "longer than"},
	} {
		steps, _, err := readAll(good + "\n" + c.line + "\n" + good)
		var at *Error
		if !errors.As(err, &at) || at.Line != 2 || !strings.Contains(err.Error(), c.says) || len(steps) != 1 {
			t.Errorf("%.60s: %d records, error %v; want line 2, %q", c.line, len(steps), err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "Go ") {
			t.Errorf("the message speaks of Go: %v", err)
		}
	}
}

// TestNamesAreCleaned checks that readers replace characters that control a terminal and characters that XML cannot
// hold.
func TestNamesAreCleaned(t *testing.T) {
	steps, title, err := readAll(`{"trace":1,"title":"a\u001b[31mred\n\u0085\uffff\u202eß"}` + "\n" +
		`{"loop":"\u001b[2J","stage":"x\r","decision":"\u0007","iteration":0,"active":1,"max":1,"sum":1}`)
	if err != nil || len(steps) != 1 {
		t.Fatalf("%d records, %v", len(steps), err)
	}
	if title != "a?[31mred????ß" {
		t.Errorf("the title is %q", title)
	}
	if s := steps[0]; s.Loop != "?[2J" || s.Stage != "x?" || s.Decision != "?" {
		t.Errorf("names are %q, %q, %q", s.Loop, s.Stage, s.Decision)
	}
	var file strings.Builder
	if _, err := NewWriter(&file, "b\x1b\n"); err != nil || file.String() != `{"trace":1,"title":"b??"}`+"\n" {
		t.Errorf("wrote %q, %v", file.String(), err)
	}
}

// TestTraceLinesAreScanned checks that scanLine reads every form of line that is written. Only names that need
// escapes are left to encoding/json.
func TestTraceLinesAreScanned(t *testing.T) {
	for _, s := range []Step{
		{Decision: None}, {Iterations: 1, Unbalanced: 1, Savings: 2.5, Cost: math.Inf(1), Decision: Kept},
		{Frame: 1, Loop: "scan", Stage: "parts", Block: 2, Group: 3, Iteration: 4, Iterations: 5, Unbalanced: 6, Processors: 7,
			Active: 8, Max: 9, Sum: 10, Tasks: 11, Savings: 12, Cost: 13.25, Decision: Redistributed, Parts: 14, Redistributed: true},
	} {
		line, slow, fast := s.AppendJSON(nil), emptyLine, emptyLine
		if err := json.Unmarshal(line, &slow); err != nil || !scanLine(line, &fast) || fast != slow {
			t.Errorf("%s (%v): %+v, want %+v", line, err, fast, slow)
		}
	}
}

// FuzzTraceReader reads arbitrary input. Every record that it accepts can be written and read again.
func FuzzTraceReader(f *testing.F) {
	f.Add([]byte(`{"trace":1,"title":"x"}` + "\n" + `{"frame":0,"loop":"scan","block":1,"group":16,"iteration":0,"active":3,"max":7,"sum":9,"savings":3.5,"cost":null,"decision":"kept","redistributed":false}`))
	f.Add([]byte(`{"iteration":1,"iterations":0,"unbalanced":5,"processors":3,"active":1,"max":6,"sum":6,"tasks":0,"savings":3,"cost":3,"redistributed":true}`))
	f.Add([]byte("{}\nnull\n[]\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for line := range bytes.Lines(file) {
			line = bytes.TrimRight(line, "\r\n")
			fast, slow := emptyLine, emptyLine
			if scanLine(line, &fast) && (json.Unmarshal(line, &slow) != nil || fast != slow) {
				t.Fatalf("%q\nread as %+v\nwant    %+v", line, fast, slow)
			}
		}
		r := NewReader(bytes.NewReader(file))
		for {
			var s, again Step
			if r.Read(&s) != nil {
				return
			}
			line := s.AppendJSON(nil)
			if !json.Valid(line) {
				t.Fatalf("%+v: %s", s, line)
			}
			if err := NewReader(bytes.NewReader(line)).Read(&again); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if s.Loop == "" { // a record without a loop has no block, group or stage
				again.Frame, again.Stage, again.Block, again.Group = s.Frame, s.Stage, s.Block, s.Group
			}
			if s != again {
				t.Fatalf("%+v\nbecame %+v\nby %s", s, again, line)
			}
		}
	})
}
