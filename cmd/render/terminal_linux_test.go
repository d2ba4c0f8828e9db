package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs the command with a terminal as standard error, and returns the text on the terminal.
func onTerminal(t *testing.T, dir string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // reading fails when the last process closes the terminal
		shown <- string(text)
	}()
	cmd := command(t, dir, args...)
	cmd.Stderr = terminal
	if err := cmd.Run(); err != nil {
		t.Errorf("%q: %v", args, err)
	}
	terminal.Close()
	return <-shown
}

// TestSuccessLine checks that the command reports the written files on a terminal, and only there.
func TestSuccessLine(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"scene:cube", "-s", "64x48"}, `^render: cube\.png: 64x48, 12 triangles, \d+ ms\r\n$`},
		{[]string{"scene:cube", "-s", "64x48", "-o", "-"}, `^render: standard output: 64x48, 12 triangles, \d+ ms\r\n$`},
		{[]string{"scene:cube", "-s", "64x48", "--quiet"}, `^$`},
		{[]string{"animate", "scene:cube", "-s", "32", "--turntable", "--frames", "3", "-o", "d"}, `^render: d: 3 pictures, 32x32, 12 triangles, \d+ ms\r\n$`},
		{[]string{"animate", "scene:cube", "-s", "32", "--turntable", "--frames", "4", "-o", "d", "--resume"}, `^render: d: 3 of 4 pictures drawn, the others kept, 32x32, 12 triangles, \d+ ms\r\n$`},
		{[]string{"animate", "scene:cube", "-s", "32", "--turntable", "--frames", "4", "-o", "d", "--resume"}, `^render: d: 0 of 4 pictures drawn, the others kept, 32x32, 12 triangles, \d+ ms\r\n$`},
		{[]string{"animate", "scene:cube", "-s", "32", "--turntable", "--frames", "4", "-o", "a.png"}, `^render: a\.png: 4 pictures, 32x32, 12 triangles, \d+ ms\r\n$`},
		{[]string{"animate", "scene:cube", "-s", "32", "--turntable", "--frames", "4", "--record-loads", "l.jsonl"}, `^render: l\.jsonl: 4 frames, 32x32, 12 triangles, \d+ ms\r\n$`},
	} {
		if got := onTerminal(t, dir, c.args...); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q shows %q, want %s", c.args, got, c.want)
		}
	}
	if r := run(t, dir, "", "scene:cube", "-s", "16"); r.Stderr != "" {
		t.Errorf("standard error that is no terminal has %q", r.Stderr)
	}
}
