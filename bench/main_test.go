package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/calibration"
)

// TestBench checks the behaviour on the command line that all experiments share.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	curve := filepath.Join(dir, "curve.jsonl")
	list := run(t, dir, "", "--list")
	list.Want(t, cli.Done)
	if !strings.HasPrefix(list.Stdout, "criteria ") && !strings.Contains(list.Stdout, "\ncriteria ") {
		t.Errorf("the list lacks criteria: %q", list.Stdout)
	}
	for _, line := range strings.Split(strings.TrimSpace(list.Stdout), "\n") {
		name, help, _ := strings.Cut(line, " ")
		if strings.TrimSpace(help) == "" {
			t.Errorf("%s has no description", name)
		}
		run(t, dir, "", name, "--help").Want(t, cli.Done)
		run(t, dir, "", name, "--nonsense").Want(t, cli.Usage, "--nonsense")
	}
	run(t, dir, "", "criteria", "--parts", "3").Want(t, cli.Usage, "--parts")
	run(t, dir, "", "criteria", "--curves", "missing").Want(t, cli.Input, "missing")
	clitest.Write(t, curve, "nothing of the kind\n")
	run(t, dir, "", "criteria", "--curves", curve).Want(t, cli.Input, "curve.jsonl")
}

// TestBenchOutput checks that experiments print one JSON object a line, and return an error if output cannot be
// written.
func TestBenchOutput(t *testing.T) {
	dir := t.TempDir()
	curve := filepath.Join(dir, "curve.jsonl")
	values := strings.TrimSuffix(strings.Repeat("1,", 50), ",")
	clitest.Write(t, curve, `{"name":"even","C":3,"mu":[`+values+`],"iota":[`+values+"]}\n")
	args := []string{"criteria", "--json", "--curves", curve}
	r := run(t, dir, "", args...)
	r.Want(t, cli.Done)
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	for _, line := range lines {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object["experiment"] != "criteria" {
			t.Errorf("not an object of the experiment: %q", line)
		}
	}
	run(t, dir, "", "lockstep", "scene:cube", "--width", "20", "--trace", "no/such/place").Want(t, cli.Output, "no/such/place: no such file")
	clitest.Write(t, filepath.Join(dir, "file"), "")
	run(t, dir, "", "lockstep", "scene:cube", "--width", "20", "--trace", "cube.jsonl").Want(t, cli.Done)
	run(t, dir, "", "trace", "cube.jsonl", "--plot", "file/plots").Want(t, cli.Output, "file/plots")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := tested.Command(t, dir, args...)
	cmd.Stdout = full
	tested.Finish(t, cmd).Want(t, cli.Output, "standard output", "no space left")
}

// TestCalibrateWithoutFolder checks that costs are measured without a folder to store them in, and that no file is
// named then.
func TestCalibrateWithoutFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	clitest.Write(t, file, "")
	for _, cache := range []string{"off", file, filepath.Join(file, "below")} {
		r := runIn(t, cache, t.TempDir(), "calibrate", "--isa", "generic", "--json")
		r.Want(t, cli.Done)
		if !strings.Contains(r.Stdout, `"problem":`) || strings.Contains(r.Stdout, `"file":`) {
			t.Errorf("%s: %s", cache, r.Stdout)
		}
	}
}

func TestBenchCalibrate(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	r := runIn(t, cache, dir, "calibrate", "--isa", "generic")
	r.Want(t, cli.Done)
	if name := storedFile(t, cache); !strings.Contains(r.Stdout, name) || !strings.Contains(r.Stdout, "pays") {
		t.Errorf("%s: %s", name, r.Stdout)
	}
	before := clitest.Read(t, storedFile(t, cache))
	runIn(t, cache, dir, "calibrate", "--isa", "generic", "--json").Want(t, cli.Done)
	if after := clitest.Read(t, storedFile(t, cache)); string(after) != string(before) {
		t.Error("showing it has changed it")
	}
	runIn(t, cache, dir, "calibrate", "--isa", "generic", "--renew").Want(t, cli.Done)
	if after := clitest.Read(t, storedFile(t, cache)); string(after) == string(before) {
		t.Error("renewing it has not changed it")
	}
}

// TestBenchTraceFailures checks that errors name the line of a damaged trace and the file that is missing.
func TestBenchTraceFailures(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "trace").Want(t, cli.Usage, "file")
	run(t, dir, "", "trace", "missing.jsonl").Want(t, cli.Input, "missing.jsonl: no such file")
	run(t, dir, "", "trace", ".").Want(t, cli.Input, "directory")
	run(t, dir, "", "trace", "-").Want(t, cli.Input, "standard input")
	clitest.Write(t, filepath.Join(dir, "t.jsonl"), "{\"trace\":1}\n{\"iteration\":0,\"active\":1,\"max\":1,\"sum\":1}\n{\"iteration\":1,\"act")
	run(t, dir, "", "trace", "t.jsonl").Want(t, cli.Input, "t.jsonl:3: ")
	clitest.Write(t, filepath.Join(dir, "t.jsonl"), "{\"iteration\":0,\"active\":1,\"max\":1,\"sum\":1}\n")
	r := run(t, dir, "", "trace", "t.jsonl", "--plot", "plots")
	r.Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "plots"), "trace-loop.png", "trace-loop.svg")
	list := run(t, dir, "", "--list")
	if !strings.Contains(list.Stdout, "\ntrace ") {
		t.Errorf("the list lacks trace: %q", list.Stdout)
	}
}

// TestBenchTraceFromStandardInput checks that a trace can be read from a pipe, and contains only the frames that were
// drawn.
func TestBenchTraceFromStandardInput(t *testing.T) {
	dir := t.TempDir()
	drawn := run(t, dir, "", "lockstep", "scene:cube", "--width", "20", "--cost", "5", "--trace", "-")
	drawn.Want(t, cli.Done)
	read := run(t, dir, drawn.Stdout, "trace", "-", "--json")
	read.Want(t, cli.Done)
	for line := range strings.Lines(read.Stdout) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object["experiment"] != "trace" {
			t.Errorf("not an object of the experiment: %q", line)
		}
	}
	run(t, dir, drawn.Stdout, "trace", "-", "--frame", "0").Want(t, cli.Done)
	run(t, dir, drawn.Stdout, "trace", "-", "--frame", "3").Want(t, cli.Usage, "standard input")
}

// TestUsage checks that the error for a misspelt command line names the help or flag that is needed.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	for line, says := range map[string]string{
		"": "--list", "nonsense": "--list", "tabels": `"tables"`, "trace": "(see lockstep-bench trace --help)", "trace t --frame x": "(see lockstep-bench trace --help)",
		"tables --processors x": "(see lockstep-bench tables --help)", "calibrate --isa sse": "(see lockstep-bench calibrate --help)",
		"tables --processor 5": "did you mean --processors? (see lockstep-bench tables --help)", "tables --progress often": "--progress",
	} {
		run(t, dir, "", strings.Fields(line)...).Want(t, cli.Usage, says)
	}
	for line, says := range map[string]string{"--help": "--list", "tables --help": "--processors", "--version": "lockstep-bench (Lockstep) " + cli.Version} {
		if r := run(t, dir, "", strings.Fields(line)...); r.Code != 0 || !strings.Contains(r.Stdout, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// runIn does the same as run, with costs stored in the folder cache, or nowhere if cache is "off".
func runIn(t *testing.T, cache, dir string, args ...string) clitest.Result {
	t.Helper()
	t.Setenv(calibration.CacheEnv, cache)
	return run(t, dir, "", args...)
}

// storedFile returns the name of the only file in the folder of costs.
func storedFile(t *testing.T, cache string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cache, "costs-*.json"))
	if err != nil || len(names) != 1 || len(clitest.Files(t, cache)) != 1 {
		t.Fatalf("folder of costs: %v, %v", clitest.Files(t, cache), err)
	}
	return names[0]
}

var tested = clitest.Program{Name: program, Start: runCommandLine}

func TestMain(m *testing.M) { os.Exit(tested.Main(m, calibration.CacheEnv)) }

func run(t *testing.T, dir, stdin string, args ...string) clitest.Result {
	t.Helper()
	return tested.Run(t, dir, stdin, args...)
}
