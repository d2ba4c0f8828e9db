package clitest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreePort returns a port of the loopback interface on which no program listens. The port is below the range that
// systems use for outgoing connections, which begins at 32768 on Linux and at 49152 elsewhere. Otherwise a connection
// could take the port before the program under test listens on it.
func FreePort(t testing.TB) string {
	t.Helper()
	const lowest, above, tries = 10000, 32768, 100
	var err error
	for range tries {
		port := strconv.Itoa(lowest + rand.IntN(above-lowest))
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal(err)
	return ""
}
