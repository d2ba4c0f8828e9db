package criteria

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// vtFiles writes a file for each rank, and returns the name of the first.
func vtFiles(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for rank, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("run.%d.json", rank)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "run.0.json")
}

func vtJSON(phases ...string) string {
	return `{"metadata":{"type":"LBDatafile","rank":0},"phases":[` + strings.Join(phases, ",") + `]}`
}

func vtPhaseOf(id int, tasks ...string) string {
	return fmt.Sprintf(`{"id":%d,"tasks":[%s],"communications":[{"bytes":3}]}`, id, strings.Join(tasks, ","))
}

func vtTaskOf(seconds float64, id int, migratable bool) string {
	return fmt.Sprintf(`{"entity":{"collection_id":7,"home":0,"id":%d,"index":[%d,2],"migratable":%v,"type":"object"},"node":0,"time":%g}`, id, id, migratable, seconds)
}

// TestReadVT checks that the time of a phase is the sum over the phase's tasks. A task that has moved must count as a
// balancing.
func TestReadVT(t *testing.T) {
	file := vtFiles(t,
		vtJSON(vtPhaseOf(6, vtTaskOf(1, 1, true), vtTaskOf(0.5, 9, false)), vtPhaseOf(5, vtTaskOf(1, 1, true), vtTaskOf(2, 2, true)), vtPhaseOf(7, vtTaskOf(4, 1, true))),
		`{"type":"LBDatafile","phases":[`+vtPhaseOf(5, vtTaskOf(8, 3, true))+","+vtPhaseOf(6, vtTaskOf(1, 3, true), vtTaskOf(2, 2, true), vtTaskOf(0.25, 9, false))+","+vtPhaseOf(7)+`]}`)
	got, err := readTimes(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{3, 8}, {1.5, 3.25}, {4, 0}}; !reflect.DeepEqual(got.seconds, want) || !reflect.DeepEqual(got.balanced, []int{1}) {
		t.Errorf("%v, balanced before %v; want %v", got.seconds, got.balanced, want)
	}
	// The file of any rank may be named.
	again, err := readTimes(strings.Replace(file, ".0.", ".1.", 1))
	if err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestReadVTRefuses(t *testing.T) {
	good := vtJSON(vtPhaseOf(0, vtTaskOf(1, 1, true)))
	for want, texts := range map[string][]string{
		"run.0.json: JSON that is no LBDatafile":                       {`{"type":"other","phases":[]}`},
		"run.0.json: no phases":                                        {vtJSON()},
		"run.1.json: 2 phases; rank 0 has 1":                           {good, vtJSON(vtPhaseOf(0), vtPhaseOf(1))},
		"run.1.json: phase 3 is followed by 5":                         {vtJSON(vtPhaseOf(3), vtPhaseOf(4)), vtJSON(vtPhaseOf(5), vtPhaseOf(3))},
		"run.0.json: phase 0, task 1: expected a time":                 {vtJSON(vtPhaseOf(0, vtTaskOf(1, 1, true), vtTaskOf(-1, 1, true)))},
		"run.0.json: phase 0, task 0: expected a time of 0 to 1e+09 s": {vtJSON(vtPhaseOf(0, `{"entity":{}}`))},
		"run.1.json: ":                          {good, `{"type":"LBData`},
		"run.0.json: json: cannot unmarshal":    {`{"type":"LBDatafile","phases":[{"id":0,"tasks":[{"time":"x"}]}]}`},
		"run.0.json: phase 0 is followed by 0":  {vtJSON(vtPhaseOf(0), vtPhaseOf(0))},
		"run.0.json: phase -1 is followed by 1": {vtJSON(vtPhaseOf(1), vtPhaseOf(-1))},
	} {
		_, err := readTimes(vtFiles(t, texts...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "all.json")
	if err := os.WriteFile(file, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTimes(file); err == nil || !strings.Contains(err.Error(), "such as data.0.json") {
		t.Errorf("%v", err)
	}
	if err := os.Rename(file, filepath.Join(filepath.Dir(file), "run.1.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := readTimes(filepath.Join(filepath.Dir(file), "run.1.json")); err == nil || !strings.Contains(err.Error(), "run.0.json: no such file") {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{"a.0.json": "a", "b/a.1.17.json": "b/a.1", ".3.json": ""} {
		if stem, ok := vtStem(name); !ok || stem != want {
			t.Errorf("%s: %q, %v", name, stem, ok)
		}
	}
	for _, name := range []string{"a.json", "a.x.json", "a..json", "a.0.json.br", "a.0/json", "d.0/a.json", "0.json"} {
		if stem, ok := vtStem(name); ok {
			t.Errorf("%s: %q", name, stem)
		}
	}
}
