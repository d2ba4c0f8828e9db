package uts

// A Sample is a tree whose size is known. T3WL is the tree of Vu and others, "Overlay-Centric Load Balancing", CLUSTER
// 2012, with the seed for which it has 157 billion nodes. The others are the sample trees of UTS 2.1.
type Sample struct {
	Name string
	Params
	Counts // 0 if unknown
}

// Samples are the sample trees from small to large.
var Samples = []Sample{
	{"R599", Params{Kind: Binomial, Branches: 2000, Q: 0.4999995, M: 2, Seed: 599}, Counts{579931, 290965, 764}},
	{"T3", Params{Kind: Binomial, Branches: 2000, Q: 0.124875, M: 8, Seed: 42}, Counts{4112897, 3599034, 1572}},
	{"T2", Params{Kind: Geometric, Shape: Cyclic, Depth: 16, Branches: 6, Seed: 502}, Counts{4117769, 2342762, 81}},
	{"T1", Params{Kind: Geometric, Shape: Fixed, Depth: 10, Branches: 4, Seed: 19}, Counts{4130071, 3305118, 10}},
	{"T4", Params{Kind: Hybrid, Shape: Linear, Depth: 16, Branches: 6, Seed: 1, Q: 0.234375, M: 4}, Counts{4132453, 3108986, 134}},
	{"T5", Params{Kind: Geometric, Shape: Linear, Depth: 20, Branches: 4, Seed: 34}, Counts{4147582, 2181318, 20}},
	{"T2L", Params{Kind: Geometric, Shape: Cyclic, Depth: 23, Branches: 7, Seed: 220}, Counts{96793510, 53791152, 67}},
	{"T1L", Params{Kind: Geometric, Shape: Fixed, Depth: 13, Branches: 4, Seed: 29}, Counts{102181082, 81746377, 13}},
	{"T3L", Params{Kind: Binomial, Branches: 2000, Q: 0.200014, M: 5, Seed: 7}, Counts{111345631, 89076904, 17844}},
	{"T1XL", Params{Kind: Geometric, Shape: Fixed, Depth: 15, Branches: 4, Seed: 29}, Counts{1635119272, 1308100063, 15}},
	{"T3XXL", Params{Kind: Binomial, Branches: 2000, Q: 0.499995, M: 2, Seed: 316}, Counts{2793220501, 1396611250, 99049}},
	{"T1XXL", Params{Kind: Geometric, Shape: Fixed, Depth: 15, Branches: 4, Seed: 19}, Counts{Nodes: 4230646601, Depth: 15}},
	{"T2XXL", Params{Kind: Binomial, Branches: 2000, Q: 0.499999995, M: 2, Seed: 0}, Counts{10612052303, 5306027151, 216370}},
	{"T3WL", Params{Kind: Binomial, Branches: 2000, Q: 0.4999995, M: 2, Seed: 559}, Counts{157063495159, 78531748579, 758577}},
	{"T1WL", Params{Kind: Geometric, Shape: Fixed, Depth: 18, Branches: 4, Seed: 19}, Counts{270751679750, 216601257283, 18}},
	{"T2WL", Params{Kind: Binomial, Branches: 2000, Q: 0.4999999995, M: 2, Seed: 559}, Counts{295393891003, 147696946501, 1021239}},
}
