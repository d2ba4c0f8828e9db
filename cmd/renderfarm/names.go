package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"

	"lockstep/cluster/film"
	"lockstep/internal/smallfile"
)

// localPrefix is the beginning of the names of local nodes.
const localPrefix = "local-"

// newNodeSuffix returns the suffix of the names of local nodes. If open is true, nodes of other machines may join. The
// suffix is then random, so that no two nodes have the same name. Names are not used for security.
func newNodeSuffix(open bool) string {
	if !open {
		return ""
	}
	return "-" + rand.Text()[:8]
}

// nodeName returns a name for this process as a node.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	return nodeNameFor(host, os.Getpid())
}

// nodeNameFor returns a node's name made of the host's name and the process ID. It avoids reserved names.
func nodeNameFor(host string, process int) string {
	host = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(host, "-"), "-")
	name := fmt.Sprintf("%.100s-%d", host, process)
	if isReservedName(name) {
		name = "host-" + name
	}
	return name
}

// isReservedName reports whether a name is reserved for local nodes or the submitter. If another node had that name,
// messages would be misleading.
func isReservedName(name string) bool {
	return strings.HasPrefix(name, localPrefix) || name == film.SubmitterName
}

// addressFromFile returns a function that reads the server's address from a file. The server writes the file when it
// starts. A restarted server has a new address if its old port is taken.
func addressFromFile(name string) func() string {
	return func() string {
		at, err := smallfile.Read(name, smallfile.MaxText)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(at))
	}
}
