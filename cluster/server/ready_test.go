package server_test

import (
	"net"
	"testing"

	"lockstep/cluster/server"
)

// TestStartedServerIsReady checks that a server accepts connections when Start returns.
func TestStartedServerIsReady(t *testing.T) {
	for range 10 {
		s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Error(err)
		} else {
			c.Close()
		}
		s.Close()
	}
}
