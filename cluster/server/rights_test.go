package server

import (
	"os"
	"strings"
	"testing"

	natsd "github.com/nats-io/nats-server/v2/server"
)

// TestAccounts checks that a server accepts the accounts. A node must have no JetStream, and may subscribe only to its
// own answers.
func TestAccounts(t *testing.T) {
	_, submit, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	_, node, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	o := new(natsd.Options)
	if err := new(natsd.Options).ProcessConfigString(Accounts(submit, map[string]string{"a-1": node, "b": submit})); err == nil {
		t.Error("two accounts may have the same key")
	}
	if err := o.ProcessConfigString(Accounts(submit, map[string]string{"a-1": node})); err != nil {
		t.Fatal(err)
	}
	if len(o.Accounts) != 2 || len(o.Nkeys) != 2 {
		t.Fatalf("%d accounts, %d keys", len(o.Accounts), len(o.Nkeys))
	}
	for _, u := range o.Nkeys {
		if u.Nkey == submit {
			if u.Account.Name != submitAccount || u.Permissions != nil {
				t.Errorf("submitters: account %s, %+v", u.Account.Name, u.Permissions)
			}
			continue
		}
		if p := u.Permissions; u.Account.Name != "NODE_a-1" || p == nil || len(p.Subscribe.Allow) != 1 || p.Subscribe.Allow[0] != "_INBOX.>" {
			t.Errorf("nodes: account %s, %+v", u.Account.Name, u.Permissions)
		}
	}
}

// TestDeployedRights checks the configuration for external servers. It must include the accounts that renderfarm serve
// --init writes, and define no permissions of its own.
func TestDeployedRights(t *testing.T) {
	text, err := os.ReadFile("../../docs/deploy/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if conf := string(text); !strings.Contains(conf, "\ninclude accounts.conf\n") || strings.Contains(conf, "authorization") || strings.Contains(conf, "allow") {
		t.Error("the file has rights of its own")
	}
}
