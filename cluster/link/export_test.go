package link

// Far makes connections count as between hosts.
func Far(o Options) Options {
	o.treatAsRemote = true
	return o
}
