package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/page"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

// Names of files of a status page that other machines may see, in a folder of secrets.
const (
	pageToken       = "page.token"
	pageCertificate = "page.pem"
)

// pagePrefix begins the line that says where the page is.
const pagePrefix = "status page: "

// showPage starts a status page and says where it is. dir is where its secrets are kept: the
// same film has the same address.
func showPage(listen, dir string, o page.Options, out io.Writer) (*page.Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if n, e := strconv.Atoi(cmp.Or(port, "0")); err != nil || e != nil || n < 0 || n > 65535 {
		return nil, cli.Usagef("--status-page %s: expected host:port or :port", listen)
	}
	o.Listen = listen
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		if o.Token, err = film.KeptRandom(filepath.Join(dir, pageToken)); err != nil {
			return nil, err
		}
		if o.TLS, err = keptCertificate(filepath.Join(dir, pageCertificate)); err != nil {
			return nil, err
		}
	}
	shown, err := page.Start(o)
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	fmt.Fprintf(out, "%s%s\n", pagePrefix, shown.URL())
	return shown, nil
}

// showFilms starts the status page of a server.
func (c *serveCommand) showFilms(ctx context.Context, s *server.Server, address cluster.Address, out io.Writer) (end func(), err error) {
	dir := string(c.Dir)
	address.URL = "nats://" + local(s)
	if address.Seed, err = readKey(pictureflags.Path(filepath.Join(dir, submitKey))); err != nil {
		return nil, err
	}
	conn, err := cluster.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := conn.Prepare(ctx, cluster.Limits{}); err != nil {
		conn.Close()
		return nil, cli.Outputf("%w", err)
	}
	shown, err := showPage(c.Page, dir, page.Options{Cluster: conn, Gallery: &film.Gallery{Cluster: conn}}, out)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() { shown.Close(); conn.Close() }, nil
}
