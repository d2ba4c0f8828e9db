package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// submitAccount is the account with all streams. Its users are the processes that submit films.
const submitAccount = "FARM"

// nodeAccount returns the name of a node's account.
func nodeAccount(node string) string { return "NODE_" + node }

// A service is a request that nodes may send to the submitters' account from their own accounts. NATS then delivers the
// answer to the node's account only.
//
// Permissions within a single account would not be safe. There, a client can name any subject for the answer, and the
// server publishes the answer to that subject even if the client itself may not publish to it.
type service struct {
	// subject is the subject in the submitters' account. If its last token is ownName, the token stands for the node's
	// name.
	subject string
	// local is the subject in the node's account. If it is empty, it is the same as subject.
	local string
}

// ownName stands for the name of a node in subjects that only that node may use.
const ownName = "NAME"

// nodeServices returns everything that a node may do:
//   - take frames, acknowledge them and record them,
//   - send pictures and heartbeats,
//   - ask for files,
//   - read jobs, records and files.
//
// Attempts to draw a frame are counted for each node separately, so no node can use up the attempts of others.
// Heartbeats are stored separately too, so no node can hide others.
func nodeServices() []service {
	all := []service{
		{subject: "$JS.API.INFO"},
		{subject: "$JS.API.CONSUMER.INFO.frames.*"},
		{subject: "$JS.API.CONSUMER.MSG.NEXT.frames.*"},
		{subject: "$JS.ACK.frames.>"},
		{subject: "$KV.done.*.*"},
		{subject: "$KV.failures.*.*"},
		{subject: "$KV.failures.*.*.try." + ownName, local: "$KV.failures.*.*.try"},
		{subject: "$KV.faults.*.*.*"},
		{subject: "$KV.nodes.*." + ownName, local: "$KV.nodes.*"},
		{subject: "$KV.pictures.*.*.*"},
		{subject: "$KV.wanted.*"},
	}
	for _, store := range []string{"jobs", "done", "failures", "blocked", "blobs"} {
		all = append(all, service{subject: "$JS.API.DIRECT.GET.KV_" + store + ".>"})
	}
	for _, store := range []string{"jobs", "done", "failures", "blocked", "blobs", "faults", "nodes", "pictures", "wanted"} {
		all = append(all, service{subject: "$JS.API.STREAM.INFO.KV_" + store})
	}
	return all
}

// Accounts returns the part of a NATS server's configuration that says who may do what. submit is the public key of
// submitters, and nodes maps names of nodes to their public keys. Each node has its own account, so it can neither
// listen to other nodes nor answer in their place.
func Accounts(submit string, nodes map[string]string) string { return accounts(submit, nodes, 0) }

// accounts is like Accounts, but also limits the size of all data, in bytes. Clients can ask for this limit. If it is
// 0, the limit of the server applies.
func accounts(submit string, nodes map[string]string, limit int64) string {
	store := "enabled"
	if limit > 0 {
		store = fmt.Sprintf("{ max_file: %d }", limit)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "accounts {\n  %s {\n    jetstream: %s\n    users: [ { nkey: %q } ]\n    exports: [\n", submitAccount, store, submit)
	for _, s := range nodeServices() {
		fmt.Fprintf(&b, "      { service: %q }\n", strings.TrimSuffix(s.subject, ownName)+strings.Repeat("*", strings.Count(s.subject, ownName)))
	}
	b.WriteString("    ]\n  }\n")
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		writeNodeAccount(&b, name, nodes[name])
	}
	b.WriteString("}\n")
	return b.String()
}

// writeNodeAccount writes the account of one node. The node may publish to the subjects of services only. Nodes with
// the same key share an account, and could otherwise send messages to each other.
func writeNodeAccount(b *strings.Builder, name, key string) {
	var publish []string
	for _, s := range nodeServices() {
		publish = append(publish, fmt.Sprintf("%q", s.localSubject()))
	}
	fmt.Fprintf(b, "  %s {\n    users: [ { nkey: %q, permissions: {\n      publish: { allow: [%s] }\n      subscribe: { allow: [\"_INBOX.>\"] }\n    } } ]\n    limits: { max_connections: %d, max_subscriptions: %d, max_payload: %d }\n    imports: [\n",
		nodeAccount(name), key, strings.Join(publish, ", "), maxConnections, maxSubscriptions, maxPayload)
	for _, s := range nodeServices() {
		to := ""
		if s.local != "" {
			to = fmt.Sprintf(", to: %q", s.local)
		}
		fmt.Fprintf(b, "      { service: { account: %s, subject: %q }%s }\n", submitAccount, strings.Replace(s.subject, ownName, name, 1), to)
	}
	b.WriteString("    ]\n  }\n")
}

// localSubject returns the subject that a node uses.
func (s service) localSubject() string {
	if s.local != "" {
		return s.local
	}
	return s.subject
}
