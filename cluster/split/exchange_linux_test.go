package split_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/cluster/link"
	"lockstep/cluster/split"
)

// linkRate enables TestExchangeOverLinks.
var linkRate = flag.String("link-rate", "", "measure the exchange of frames among four processes in network namespaces, whose links have this rate, as tc writes it: 1gbit")

// exchangeRoot is the environment variable with which TestExchangeOverLinks starts its nodes. Its value is the root's
// address, the node's number, and which processes encode files, separated by spaces.
const exchangeRoot = "LOCKSTEP_EXCHANGE_ROOT"

const (
	linkNodes  = 4
	linkFrames = 61
)

// TestExchangeOverLinks measures the same exchange as BenchmarkExchange, but each process has its own link to a switch
// and uses TLS as between hosts. Only the superuser can create the network namespaces that this needs.
//
//	go test -c ./cluster/split && sudo ./split.test -test.run TestExchangeOverLinks -test.v -link-rate 1gbit
func TestExchangeOverLinks(t *testing.T) {
	if node := os.Getenv(exchangeRoot); node != "" {
		beNode(t, node)
		return
	}
	if *linkRate == "" {
		t.Skip("-link-rate was not given")
	}
	base := fmt.Sprintf("lk%d", os.Getpid()%1000000)
	net := fmt.Sprintf("10.%d.%d", 128+os.Getpid()%64, os.Getpid()/64%250)
	do := func(line string) {
		t.Helper()
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	do("ip link add " + base + " type bridge")
	t.Cleanup(func() { do("ip link del " + base) })
	do("ip link set " + base + " up")
	shape := " root tbf rate " + *linkRate + " burst 256kb latency 100ms"
	do(fmt.Sprintf("ip link add %s-r type veth peer name %s-s && ip link set %s-s master %s up && tc qdisc add dev %s-s%s", base, base, base, base, base, shape))
	t.Cleanup(func() { do("ip link del " + base + "-r") })
	// The root gets the first address of the network.
	do(fmt.Sprintf("ip addr add %s.1/24 dev %s-r && ip link set %s-r up && tc qdisc add dev %s-r%s", net, base, base, base, shape))
	for i := range linkNodes {
		ns, port := fmt.Sprintf("%s-%d", base, i), fmt.Sprintf("%s-%d", base, i)
		do("ip netns add " + ns)
		t.Cleanup(func() { do("ip netns del " + ns) })
		do("ip link add " + port + " type veth peer name eth0 netns " + ns)
		do("ip link set " + port + " master " + base + " up && tc qdisc add dev " + port + shape)
		do(fmt.Sprintf("ip -n %s addr add %s.%d/24 dev eth0 && ip -n %s link set eth0 up && ip -n %s link set lo up", ns, net, i+2, ns, ns))
		do("tc -n " + ns + " qdisc add dev eth0" + shape)
	}
	for _, by := range []string{byNone, byRoot, byOwners} {
		t.Run("files="+by, func(t *testing.T) { exchangeOverLinks(t, base, net, by) })
	}
}

// exchangeOverLinks measures frames with nodes in network namespaces.
func exchangeOverLinks(t *testing.T, base, net, by string) {
	m := newMeasured(t, newExchange(t, linkFrames, by)(), linkFrames, linkNodes, by, net+".1:0", exchangeLinks(t, ""))
	defer m.root.Close()
	for i := range linkNodes {
		cmd := exec.Command("ip", "netns", "exec", fmt.Sprintf("%s-%d", base, i), os.Args[0], "-test.run", "TestExchangeOverLinks$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", exchangeRoot, m.root.Addr(), i, by))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("node %d: %v", i, err)
			}
		}()
	}
	m.run(t)
	t.Logf("%s, file by %q: median %.1f ms, nine of ten in %.1f ms, a frame of 1920x1080, %.0f %% covered, %.1f MB of keys, %d nodes, %d frames",
		*linkRate, by, m.quantile(0.5), m.quantile(0.9), m.covered, m.megabytes, linkNodes, linkFrames-1)
}

// exchangeLinks returns the options of a node's or the root's Links.
func exchangeLinks(t *testing.T, name string) link.Options {
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return link.Options{Name: name, Secret: secret, Limit: 64 << 20, TLS: cert}
}

// beNode runs a node for the measurement of another process.
func beNode(t *testing.T, node string) {
	words := strings.Split(node, " ")
	root, number, by := words[0], words[1], words[2]
	i, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	l := exchangeLinks(t, fmt.Sprint("node", i))
	if err := split.Node(t.Context(), newExchange(t, linkFrames, by)(), split.NodeOptions{Links: l, Roots: []string{root}}); err != nil {
		t.Fatal(err)
	}
}
