package render

// SetBalance changes the policy of frames to come. Measurements of policies share
// one renderer by it: where frames of several happen to lie in memory makes them differ
// by some per cent.
func (r *Renderer) SetBalance(policy Balance) {
	r.options.Balance = policy
	r.estimate = r.options.estimate(r.kernels.Level)
	for i := range r.workers {
		r.workers[i].scan.Cost, r.workers[i].scan.Dear = r.estimate.cost, r.estimate.dear
	}
}
