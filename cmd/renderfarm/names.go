package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"lockstep/cluster/film"
	"lockstep/internal/smallfile"
)

// localNode begins the names of this command's nodes.
const localNode = "local-"

// newNodeMark returns what ends the names of a command's nodes. Where other machines may join, a
// film must not take another command's own nodes for its own, nor those of a machine whose name
// looks like theirs.
func newNodeMark(open bool) string {
	if !open {
		return ""
	}
	return "-" + rand.Text()[:8]
}

// isLocal reports whether a node's name is that of one of this command's.
func isLocal(name, mark string) bool {
	number, mine := strings.CutPrefix(name, localNode)
	number, marked := strings.CutSuffix(number, mark)
	_, err := strconv.ParseUint(number, 10, 16)
	return mine && marked && err == nil
}

// nodeName makes a name of the machine's and the process's number.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	return nameOn(host, os.Getpid())
}

// nameOn makes a node's name of a host's. One that looks like the name of a command's own node is
// changed.
func nameOn(host string, process int) string {
	host = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(host, "-"), "-")
	name := fmt.Sprintf("%.100s-%d", host, process)
	if reservedName(name) {
		name = "host-" + name
	}
	return name
}

// reservedName reports whether the records of a film use a name for the command itself and the nodes
// that it started, whose pictures it does not draw again.
func reservedName(name string) bool {
	return strings.HasPrefix(name, localNode) || name == film.SubmitterName
}

// movedBy returns where a server listens by the file that it writes when it has started: one
// that was killed may find its port taken by another program, and gets a new one.
func movedBy(name string) func() string {
	return func() string {
		at, err := smallfile.Read(name, smallfile.Words)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(at))
	}
}
