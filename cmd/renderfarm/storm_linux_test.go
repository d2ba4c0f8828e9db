package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// Seeds of the storms in the long test: go test ./cmd/renderfarm -run TestFilmStorm -typhoons 20.
var (
	typhoons     = flag.Int("typhoons", 0, "run so many storms of 500 frames over a film, with partitions and a full disk for the superuser")
	typhoonsFrom = flag.Uint64("typhoons-from", 1, "the first seed")
)

// stormOptions say which events happen to a film, and how often.
type stormOptions struct {
	frames                                         int
	kills, servers, stops, cuts, disks, submitters int
	sleeps                                         int           // stops of all processes at once
	stop                                           time.Duration // duration of SIGSTOP
}

// These are the events of the short test (breeze) and of the long test (typhoon).
var (
	breeze  = stormOptions{frames: 60, kills: 4, servers: 1, stops: 1, submitters: 1, stop: 2 * time.Second}
	typhoon = stormOptions{frames: 500, kills: 30, servers: 5, stops: 2, cuts: 6, disks: 1, submitters: 1, sleeps: 1, stop: 10 * time.Second}
)

// mostExtra limits the frames that are begun more than once, in per cent of the frames of the film.
const mostExtra = 12

// TestFilmStorm kills and stops processes, cuts connections and fills the disk. The pictures must equal those of
// render animate, and few may be drawn twice.
func TestFilmStorm(t *testing.T) {
	t.Parallel()
	if *typhoons == 0 {
		newWeather(t, breeze, 1).run()
		return
	}
	for i := range *typhoons {
		t.Run(fmt.Sprintf("seed=%d", *typhoonsFrom+uint64(i)), func(t *testing.T) {
			newWeather(t, typhoon, *typhoonsFrom+uint64(i)).run()
		})
	}
}

// stormWorkers is the number of nodes. If the system allows it, the last half of the nodes run in network namespaces.
const stormWorkers = 4

// A storm is a film with its processes and the events that happen to them.
type storm struct {
	t          *testing.T
	storm      stormOptions
	seed       uint64
	r          *rand.Rand
	dir, out   string
	port       string
	over       chan struct{}
	running    sync.WaitGroup
	mu         sync.Mutex
	pids       [stormWorkers]int // process IDs of the nodes; 0 if a node is not running
	film       int               // process ID
	spaces     [stormWorkers]string
	said       outputCollector
	tmpfs      bool
	full       atomic.Bool // the disk is full, or was full and no command has noticed yet
	happened   map[string]int
	background sync.WaitGroup // events that take some time
}

func newWeather(t *testing.T, s stormOptions, seed uint64) *storm {
	tested.Path(t) // other goroutines may not end the test if it cannot be built
	w := &storm{t: t, storm: s, seed: seed, r: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), port: clitest.FreePort(t),
		over: make(chan struct{}), happened: map[string]int{}}
	w.out = filepath.Join(w.dir, "out")
	if os.Getuid() == 0 && s.cuts > 0 {
		for i := stormWorkers / 2; i < stormWorkers; i++ {
			w.makeSpace(i)
		}
	}
	if os.Getuid() == 0 && s.disks > 0 {
		w.mountSmall()
	}
	return w
}

// try runs a command of the system and reports whether it succeeded.
func (w *storm) try(line string) bool {
	words := strings.Fields(line)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		w.t.Logf("%s: %v: %s", line, err, bytes.TrimSpace(out))
	}
	return err == nil
}

// makeSpace creates a network namespace for a node, with a link to the namespace of the test.
func (w *storm) makeSpace(i int) {
	name := fmt.Sprintf("storm%d-%d-%d", os.Getpid(), i, w.seed%100)
	link, net := w.link(i), w.net(i)
	if !w.try("ip netns add " + name) {
		return
	}
	w.t.Cleanup(func() { w.try("ip netns del " + name) })
	for _, line := range []string{
		"ip link add " + link + " type veth peer name eth0 netns " + name,
		"ip addr add " + net + ".1/30 dev " + link, "ip link set " + link + " up",
		"ip -n " + name + " addr add " + net + ".2/30 dev eth0", "ip -n " + name + " link set eth0 up", "ip -n " + name + " link set lo up",
	} {
		if !w.try(line) {
			return
		}
	}
	w.spaces[i] = name
}

// link returns the name of the test's end of a node's link. A link exists for a moment longer than its namespace, so
// the names differ between storms.
func (w *storm) link(i int) string { return fmt.Sprintf("st%d-%d-%d", os.Getpid(), i, w.seed%100) }
func (w *storm) net(i int) string  { return fmt.Sprintf("10.%d.%d", 64+os.Getpid()%64, i) }

// mountSmall puts the queue on a small disk of its own.
func (w *storm) mountSmall() {
	dir := filepath.Join(w.out, film.Folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if w.tmpfs = w.try("mount -t tmpfs -o size=64m tmpfs " + dir); w.tmpfs {
		w.t.Cleanup(func() { w.try("umount " + dir) })
	}
}

// run draws the film while events happen.
func (w *storm) run() {
	began := time.Now()
	flags := []string{"scene:knot?triangles=50k", "--turntable", "--frames", strconv.Itoa(w.storm.frames), "-s", "480x300", "--fast"}
	want := filepath.Join(w.dir, "want")
	animate(w.t, "", append(flags[:len(flags):len(flags)], "-o", want)...)
	args := append(append([]string{"film"}, flags...), "-o", w.out, "--nodes", "0", "--listen", ":"+w.port,
		"--lease", "1500ms", "--tries", "1000", "--store", "40M")
	ended := make(chan error, 1)
	go w.keepFilm(args, ended)
	for i := range stormWorkers {
		w.running.Go(func() { w.keepNode(i) })
	}
	w.running.Go(w.rage)
	err := <-ended
	close(w.over)
	w.running.Wait()
	w.background.Wait()
	if err != nil {
		w.t.Fatalf("%v: %s", err, &w.said)
	}
	w.compare(want)
	begun := w.begun()
	extra := 100 * float64(begun-w.storm.frames) / float64(w.storm.frames)
	w.t.Logf("%.1f s, %v, %d frames begun %d times: %.1f %% extra", time.Since(began).Seconds(), w.happened, w.storm.frames, begun, extra)
	if w.storm.frames < typhoon.frames {
		return
	}
	if extra > mostExtra {
		w.t.Errorf("%.1f %% of the frames were drawn again, want at most %d", extra, mostExtra)
	}
	if w.happened["kill node"] != w.storm.kills || w.happened["kill server"] != w.storm.servers {
		w.t.Errorf("the film ended before the storm did: %v", w.happened)
	}
}

// compare checks all pictures.
func (w *storm) compare(want string) {
	names, err := os.ReadDir(want)
	if err != nil || len(names) != w.storm.frames {
		w.t.Fatalf("%d pictures to compare with, %v", len(names), err)
	}
	for _, n := range names {
		if a, err := os.ReadFile(filepath.Join(w.out, n.Name())); err != nil || !bytes.Equal(a, clitest.Read(w.t, filepath.Join(want, n.Name()))) {
			w.t.Errorf("%s differs or is missing: %v", n.Name(), err)
		}
	}
}

// begun returns how many frames were begun.
func (w *storm) begun() (n int) {
	for i := range stormWorkers {
		if f, err := os.Open(w.log(i)); err == nil {
			lines := bufio.NewScanner(f)
			for lines.Scan() {
				n++
			}
			f.Close()
		}
	}
	return n
}

func (w *storm) log(i int) string { return filepath.Join(w.dir, fmt.Sprintf("node%d.log", i)) }

// keepFilm runs the command, and restarts it after it was killed.
func (w *storm) keepFilm(args []string, ended chan<- error) {
	for {
		cmd := exec.Command(tested.Path(w.t), args...)
		cmd.Stdout, cmd.Stderr = &w.said, &w.said
		if err := cmd.Start(); err != nil {
			ended <- err
			return
		}
		w.mu.Lock()
		w.film = cmd.Process.Pid
		w.mu.Unlock()
		err := cmd.Wait()
		w.mu.Lock()
		w.film = 0
		w.mu.Unlock()
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() && !w.refused(cmd) {
			ended <- err
			return
		}
	}
}

// refused reports whether a command was started while the disk was full, and failed with the message of a full disk. In
// that case refused waits until the disk has space, and the command is started again, as a person would do.
func (w *storm) refused(cmd *exec.Cmd) bool {
	if cmd.ProcessState.ExitCode() != int(cli.Output) || !w.full.CompareAndSwap(true, false) {
		return false
	}
	w.t.Log("the command was begun while the disk was full")
	w.background.Wait()
	return true
}

// keepNode runs a node, and restarts it after it was killed, until the storm ends.
func (w *storm) keepNode(i int) {
	for !w.isOver() {
		line := joinLine.FindStringSubmatch(w.said.String())
		if line == nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		_, pin, _ := strings.Cut(line[1], "#")
		host := "127.0.0.1"
		args := []string{tested.Path(w.t)}
		if w.spaces[i] != "" {
			host = w.net(i) + ".1"
			args = append([]string{"ip", "netns", "exec", w.spaces[i]}, args...)
		}
		args = append(args, "node", "--quiet", "--join", "nats://"+net.JoinHostPort(host, w.port)+"#"+pin, "--key", line[2],
			"--name", fmt.Sprintf("storm-%d", i), "--workers", "1", "--log", w.log(i))
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stderr = io.Discard
		if err := cmd.Start(); err != nil {
			w.t.Error(err)
			return
		}
		w.setPid(i, cmd.Process.Pid)
		done := make(chan struct{})
		go func() {
			select {
			case <-w.over:
				cmd.Process.Kill()
			case <-done:
			}
		}()
		cmd.Wait()
		close(done)
		w.setPid(i, 0)
	}
}

func (w *storm) isOver() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

func (w *storm) setPid(i, pid int) {
	w.mu.Lock()
	w.pids[i] = pid
	w.mu.Unlock()
}

// rage triggers the events according to the progress of the film, so that all of them happen however fast it is.
func (w *storm) rage() {
	var events []func()
	add := func(n int, what string, f func() bool) {
		for range n {
			events = append(events, func() {
				for end := time.Now().Add(eventTime); time.Now().Before(end) && !w.isOver(); time.Sleep(20 * time.Millisecond) {
					if f() {
						w.happened[what]++
						return
					}
				}
			})
		}
	}
	add(w.storm.kills, "kill node", func() bool { return w.signal(syscall.SIGKILL) != 0 })
	add(w.storm.servers, "kill server", w.killServer)
	add(w.storm.stops, "stop node", w.stopNode)
	if w.spaces[stormWorkers-1] != "" {
		add(w.storm.cuts, "cut link", w.cutLink)
	}
	if w.tmpfs {
		add(w.storm.disks, "full disk", w.fillDisk)
	}
	add(w.storm.submitters, "kill command", w.killFilm)
	add(w.storm.sleeps, "sleep", w.sleep)
	w.r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for i, happens := range events {
		for countFrames(w.out) < (i+1)*w.storm.frames/(len(events)+2) {
			if w.isOver() {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		happens()
	}
}

// eventTime limits how long an event waits for its process, which may just have been killed.
const eventTime = 5 * time.Second

// signal sends a signal to some node and returns its process ID.
func (w *storm) signal(s syscall.Signal) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, i := range w.r.Perm(stormWorkers) {
		if pid := w.pids[i]; pid != 0 && syscall.Kill(pid, s) == nil {
			return pid
		}
	}
	return 0
}

func (w *storm) stopNode() bool {
	pid := w.signal(syscall.SIGSTOP)
	if pid != 0 {
		w.background.Go(func() {
			select {
			case <-w.over:
			case <-time.After(w.storm.stop):
			}
			syscall.Kill(pid, syscall.SIGCONT)
		})
	}
	return pid != 0
}

// killServer kills the server, a child of the command.
func (w *storm) killServer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	pid := w.server()
	return pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// server returns the process ID of the server, or 0 if the server is not running. The caller holds the lock.
func (w *storm) server() int {
	list, err := exec.Command("pgrep", "-P", strconv.Itoa(w.film), "-f", "serve").Output()
	pid, e := strconv.Atoi(strings.TrimSpace(string(list)))
	if w.film == 0 || err != nil || e != nil {
		return 0
	}
	return pid
}

// sleep stops all processes for longer than a lease.
func (w *storm) sleep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	server := w.server()
	if server == 0 {
		return false
	}
	pids := []int{w.film, server}
	for _, pid := range w.pids {
		if pid != 0 {
			pids = append(pids, pid)
		}
	}
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for _, pid := range pids {
			syscall.Kill(pid, s)
		}
		if s == syscall.SIGSTOP {
			time.Sleep(cutTime)
		}
	}
	return true
}

func (w *storm) killFilm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.film != 0 && syscall.Kill(w.film, syscall.SIGKILL) == nil
}

// cutTime is the time for which a link is cut. It is longer than a lease, after which a node's frames are given to
// other nodes.
const cutTime = 3 * time.Second

func (w *storm) cutLink() bool {
	i := stormWorkers/2 + w.r.IntN(stormWorkers/2)
	if w.spaces[i] == "" || !w.try("ip link set "+w.link(i)+" down") {
		return false
	}
	w.background.Go(func() {
		time.Sleep(cutTime)
		w.try("ip link set " + w.link(i) + " up")
	})
	return true
}

// fillDisk fills the queue's disk for a while.
func (w *storm) fillDisk() bool {
	if !w.tmpfs {
		return false
	}
	name := filepath.Join(w.out, film.Folder, "ballast")
	f, err := os.Create(name)
	if err != nil {
		return false
	}
	w.full.Store(true)
	_, err = io.Copy(f, zeros{}) // writes until the disk is full
	f.Close()
	w.background.Go(func() {
		time.Sleep(cutTime)
		os.Remove(name)
	})
	return err != nil
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
