package format

import "io"

// ReadAll returns the whole input, for formats whose readers must look back. It allocates memory only for bytes that
// exist, whatever a header claims. The error is a *scenes.LimitError or an error of Fill.
func (in *Input) ReadAll() ([]byte, error) {
	if err := in.Allow(0, max(in.Size, int64(len(in.Prefix)))); err != nil {
		return nil, err
	}
	if in.Size == int64(len(in.Prefix)) {
		return in.Prefix, nil
	}
	size := int(in.Size)
	if in.Size < 0 {
		size = max(4*PrefixSize, 2*len(in.Prefix))
	}
	all := make([]byte, len(in.Prefix), size)
	copy(all, in.Prefix)
	for {
		if len(all) == cap(all) {
			if in.Size >= 0 {
				return all, nil
			}
			if err := in.Allow(0, 3*int64(cap(all))); err != nil {
				return nil, err
			}
			grown := make([]byte, len(all), 2*cap(all))
			copy(grown, all)
			all = grown
		}
		n, err := in.Fill(all[len(all):min(cap(all), len(all)+1<<20)])
		all = all[:len(all)+n]
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
