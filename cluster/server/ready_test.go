package server_test

import (
	"net"
	"testing"

	"lockstep/cluster/server"
)

// A server that was started takes connections.
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
