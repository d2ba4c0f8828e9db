package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestNumbersBeyondReason passes numbers to experiments whose sums or ratios are infinite or undefined. The error must
// name the flag, or the place in a file. No table or line of JSON may contain an infinity or a NaN.
func TestNumbersBeyondReason(t *testing.T) {
	dir := t.TempDir()
	recording := func(name, seconds string) string {
		name = filepath.Join(dir, name)
		clitest.Write(t, name, `{"format":"lockstep-loads","version":1,"blockSize":10,"triangles":[10,10,10,4]}`+"\n"+
			`{"frame":0,"seconds":[`+seconds+`]}`+"\n"+`{"frame":1,"seconds":[`+seconds+`]}`+"\n")
		return name
	}
	whole, huge, tiny := recording("whole", "1,2,3,4"), recording("huge", "1e308,1e308,0,1e308"), recording("tiny", "5e-324,0,0,5e-324")
	zero := recording("zero", "0,0,0,0")
	replay := "criteria --parts 2 --loads "
	for _, c := range []struct {
		args string
		code cli.Code
		says string
	}{
		{replay + huge, cli.Input, "huge:2: frame 0: block 0 took 1e+308 seconds"},
		{"circuit --pes 2 --loads " + huge, cli.Input, "huge:2: frame 0: block 0 took 1e+308 seconds"},
		{replay + whole + " --move-latency inf", cli.Usage, "--move-latency"},
		{replay + whole + " --move-latency 1e308", cli.Usage, "--move-latency"},
		{replay + whole + " --move-latency 1e-310", cli.Usage, "--move-latency"},
		{replay + whole + " --move-latency nan", cli.Usage, "--move-latency"},
		{replay + whole + " --move-bandwidth inf", cli.Usage, "--move-bandwidth"},
		{replay + whole + " --move-bandwidth 1e308", cli.Usage, "--move-bandwidth"},
		{replay + whole + " --move-bandwidth 5e-324", cli.Usage, "--move-bandwidth"},
		{replay + whole + " --move-latency 0", cli.Done, ""},
		{"lockstep --cost 1e308", cli.Usage, "--cost"},
		{"criteria --seeds 1000000000000", cli.Usage, "--seeds"},
		{replay + tiny, cli.Done, ""},
		{replay + zero, cli.Done, ""},
		{"circuit --pes 2 --loads " + tiny, cli.Done, ""},
		{"circuit --pes 2 --loads " + zero, cli.Done, ""},
		{"circuit --repetitions 1 --sizes 2", cli.Done, ""},
		{"circuit --repetitions 1 --pes 16 --topology 4 --loads-per-pe 1 --rounds 1", cli.Done, ""},
	} {
		for _, format := range []string{"", " --json"} {
			r := run(t, dir, "", strings.Fields(c.args+format)...)
			r.Want(t, c.code, c.says)
			for _, none := range []string{"Inf", "NaN"} {
				if strings.Contains(r.Stdout, none) {
					t.Errorf("%s%s: printed %s:\n%s", c.args, format, none, r.Stdout)
				}
			}
		}
	}
}
