package trace

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"lockstep/bench/report"
)

// TestTraceOfHostileNames checks that names with control characters are printed without them, and that XML readers can
// read the figures.
func TestTraceOfHostileNames(t *testing.T) {
	dir := t.TempDir()
	file := report.Path(filepath.Join(dir, "t.jsonl"))
	writeFile(t, string(file), `{"trace":1,"title":"a\u001b[31mred\n<&\"\uffff"}`+"\n"+
		`{"loop":"\u001b[2J","stage":"\r","decision":"\u0007","iteration":0,"active":2,"max":9,"sum":10,"savings":3,"cost":2,"redistributed":true,"processors":4}`+"\n")
	for _, json := range []bool{false, true} {
		text, err := runTrace(Experiment{File: file, JSON: json, Plot: report.Path(dir)})
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) || strings.Contains(text, `\u001`) {
			t.Errorf("prints %q", text)
		}
	}
	figures, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil || len(figures) == 0 {
		t.Fatal(figures, err)
	}
	for _, name := range figures {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(f); err == nil; {
			_, err = d.Token()
		}
		if f.Close(); err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTraceOfHostileNumbers checks that numbers out of range are refused at once, and that the largest valid numbers
// can be drawn.
func TestTraceOfHostileNumbers(t *testing.T) {
	dir := t.TempDir()
	file := report.Path(filepath.Join(dir, "t.jsonl"))
	const most = `{"iteration":9223372036854775807,"active":2147483647,"max":2147483647,"sum":9223372036854775807,"savings":1000000000000000,"cost":1000000000000000,"decision":"kept"}` + "\n" +
		`{"iteration":0,"iterations":2147483647,"active":0,"max":0,"sum":0,"savings":0,"cost":0,"redistributed":true}` + "\n"
	writeFile(t, string(file), most)
	if _, err := runTrace(Experiment{File: file, Plot: report.Path(dir)}); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"savings", "cost"} {
		writeFile(t, string(file), most+`{"iteration":0,"active":2,"max":1,"sum":1,"redistributed":true,"`+key+`":1e308}`)
		var input *report.InputError
		if _, err := runTrace(Experiment{File: file, Plot: report.Path(dir)}); !errors.As(err, &input) || input.Line != 3 || !strings.Contains(err.Error(), key+" is 1e+308") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
