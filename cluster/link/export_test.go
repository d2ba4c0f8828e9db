package link

// Far returns options that treat connections within this host like those between hosts.
func Far(o Options) Options {
	o.treatAsRemote = true
	return o
}
