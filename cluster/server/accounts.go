package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// submitAccount is the account with all streams. Those who submit films are its users.
const submitAccount = "FARM"

// nodeAccount returns the name of a node's account.
func nodeAccount(node string) string { return "NODE_" + node }

// A service is what the account of submitters offers to those of nodes. A request that crosses accounts gets a reply
// subject that the server makes up, and its answer returns to the account of the node alone. Permissions of one account
// for all would not do: a client may ask the server to answer to any subject, which the server then writes with rights
// of its own.
type service struct {
	// subject is that of the submitters' account. A last token of ownName stands for the name of the node.
	subject string
	// local is the subject in the node's account; empty: the same.
	local string
}

// ownName is replaced by a node's name in the subjects that only this node may use.
const ownName = "NAME"

// nodeServices returns all that a node may do: take frames, acknowledge and record them, send pictures and heartbeats,
// ask for files, and read jobs, records and files. Attempts to draw a frame are counted for each node, so that none
// can use up those of others, and heartbeats are kept for each, so that none can hide others.
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
// submitters, and nodes are the public keys of nodes by name. Each node has an account of its own, and therefore
// neither hears nor answers others.
func Accounts(submit string, nodes map[string]string) string { return accounts(submit, nodes, 0) }

// accounts is Accounts with a limit of all data in bytes, which clients can ask for; 0: that of the server.
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
		writeNode(&b, name, nodes[name])
	}
	b.WriteString("}\n")
	return b.String()
}

// writeNode writes the account of one node. Its rights to publish are limited to the services, because nodes that share
// a key share the account, too.
func writeNode(b *strings.Builder, name, key string) {
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
