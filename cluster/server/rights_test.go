package server

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWorkersMayResumeAWatch checks that a node may create a consumer without a name. Its client does so while it is
// reconnecting and does not know the server's version, see Conn.ConnectedServerVersion of nats.go.
func TestWorkersMayResumeAWatch(t *testing.T) {
	allowed := nodePermissions().Publish.Allow
	for _, subject := range []string{"$JS.API.CONSUMER.CREATE.KV_jobs", "$JS.API.CONSUMER.CREATE.KV_jobs.>"} {
		if !slices.Contains(allowed, subject) {
			t.Errorf("a node may not publish to %s", subject)
		}
	}
}

// TestDeployedRights checks that the configuration for external servers gives nodes the same permissions as package
// server.
func TestDeployedRights(t *testing.T) {
	text, err := os.ReadFile("../../docs/deploy/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	_, rights, found := strings.Cut(string(text), "permissions:")
	publish, subscribe, both := strings.Cut(rights, "subscribe:")
	if !found || !both {
		t.Fatal("the file has no permissions")
	}
	for _, list := range []struct {
		text string
		want []string
	}{{publish, nodePermissions().Publish.Allow}, {subscribe, nodePermissions().Subscribe.Allow}} {
		var got []string
		for _, quoted := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(list.text, -1) {
			got = append(got, quoted[1])
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(list.want))) {
			t.Errorf("the file allows %q, the program %q", got, list.want)
		}
	}
}
