package main

// SplitUps is called by the parser when all is read. It may be called again.
func (c *imageCommand) SplitUps() error   { return c.SplitMeshes(nil, c.More) }
func (c *animateCommand) SplitUps() error { return c.SplitMeshes(&c.More, c.More) }
func (c *infoCommand) SplitUps() error    { return c.Split(&c.Mesh, c.More) }
func (c *convertCommand) SplitUps() error { return c.Split(&c.Mesh, nil) }
