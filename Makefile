# Bare `make` prints the targets.
GO       ?= go
FUZZTIME ?= 10s
CPUS     ?= 1,2
FUZZ     ?= ./...

# Pictures whose pixels every variant of a build has to give.
SAME = -run '^(TestGolden|TestIdentical|TestDeferredIsIdentical|TestLockstepDraws|TestSceneBits|TestTraceIsTheSame)'

# Tests in which several goroutines share memory, of packages that have many others.
SHARED = -run 'Identical|Deferred|Cancel|Close|TraceIsTheSame|Sharing|Parts|FrameRows|Busy|Reused|Workers|Panic|Stream|SameBytes|Several|Parallel|AtOnce|Normals|Chunks|StoredInTurn'

# Packages with generated assembly.
GENERATED = render/internal/kernel scenes/stl/internal/kernel bench/uts bench/flowshop

.PHONY: help docs gallery build test race bench lint fuzz cover golden generate check-generated isa purego cross modules v3 peers

help: ## print this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

build: ## build bin/render, bin/renderfarm (films) and bin/lockstep-bench (experiments), static binaries
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/render ./cmd/render
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/renderfarm ./cmd/renderfarm
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/lockstep-bench ./bench

test: ## run all tests
	$(GO) test ./...

race: ## test what goroutines share under the race detector
	$(GO) test -race ./vp/... ./lb/overlay/... ./scenes/internal/parallel ./render/calibration ./cluster ./cluster/link ./cluster/split ./cluster/film
	$(GO) test -race $(SHARED) ./scenes/load ./scenes/prepared ./render ./render/png ./render/encode ./render/internal/normals
	$(GO) test -race -run 'Batch|Bands|AtOnce|Series|Progress' ./cmd/render

isa: ## test kernels and pictures by AVX2 alone and by AVX-512 alone; LOCKSTEP_REQUIRE_ISA=avx2,avx512 makes a missing one an error
	@set -e; for set in avx2 avx512; do \
		if LOCKSTEP_ISA= LOCKSTEP_REQUIRE_ISA=$$set $(GO) test -run '^TestRequired$$' ./vp/isa/isatest >/dev/null; then \
			echo "$$set alone:"; \
			LOCKSTEP_ISA=$$set LOCKSTEP_REQUIRE_ISA=$$set $(GO) test $(SAME) ./render; \
			LOCKSTEP_ISA=$$set LOCKSTEP_REQUIRE_ISA=$$set $(GO) test ./render/internal/kernel/... ./scenes/stl/internal/kernel; \
		else case ",$$LOCKSTEP_REQUIRE_ISA," in \
			*,$$set,*) echo "$$set is required and was NOT TESTED: this processor lacks it" >&2; exit 1;; \
			*) echo "$$set was NOT TESTED: this processor lacks it";; \
		esac; fi; \
	done

purego: ## build all without assembly, and test the rooms that have some and the pictures
	$(GO) run ./internal/typecheck -tags purego ./...
	$(GO) test -tags purego ./render/internal/kernel/... ./scenes/stl/... ./vp/isa/... ./vp/scan $(addprefix ./,$(GENERATED))
	$(GO) test -tags purego $(SAME) ./render ./cmd/render

v3: ## test bits with the compiler free to use AVX2 and FMA
	GOAMD64=v3 $(GO) test ./vp/scan ./lb ./render/internal/... ./render/ground ./scenes/section ./scenes/join
	GOAMD64=v3 $(GO) test $(SAME) ./render ./scenes/procedural

cross: ## type-check for other processors and systems, and build the programs for Windows
	GOOS=windows GOARCH=amd64 $(GO) build ./cmd/...
	@set -e; tool=$$(mktemp); trap 'rm -f '$$tool EXIT; $(GO) build -o $$tool ./internal/typecheck; \
	check() { echo "type-check $$*"; $$tool "$$@"; }; \
	check -platform darwin/arm64 ./...; \
	check -platform windows/arm64 ./...; \
	check -platform linux/386 ./vp/... ./lb/... ./scenes/... ./render/...; \
	check -platform js/wasm ./lb/... ./scenes/... ./render/...

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

modules: ## build the modules of the tree that ./... leaves out
	@set -e; for mod in $$(git ls-files '*/go.mod'); do \
		echo "$$(dirname $$mod)"; out=$$(mktemp -d); (cd $$(dirname $$mod) && $(GO) build -o $$out/ ./...); rm -r $$out; \
	done

fuzz: ## run every fuzz target for FUZZTIME, or those of the packages in FUZZ
	@set -e; for pkg in $$($(GO) list $(FUZZ)); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; \
			GO="$(GO)" .ci/fuzz $$pkg $$f $(FUZZTIME); \
		done; \
	done

bench: ## measure frames and kernels on CPUS cores
	$(GO) test -run '^$$' -bench . -cpu $(CPUS) ./vp/... ./scenes/... ./render/... ./lb/...

cover: ## test coverage, by function, in cover.html
	$(GO) test -coverprofile cover.out ./... && $(GO) tool cover -html cover.out -o cover.html

golden: ## regenerate golden pictures and test meshes; look at the difference before committing it
	$(GO) test ./render ./render/annotate -run Golden -update
	$(GO) test ./cmd/render -run GoldenCommands -update
	$(GO) test ./scenes/stl -run Testdata -update

docs: ## write the tables of the documentation again: packages from their first sentences, flags from the programs
	$(GO) test ./docs -run Rooms -update
	$(GO) test ./cmd/render ./cmd/renderfarm -run DocsTellFlags -update

gallery: build ## draw the pictures of docs/gallery.md; look at them before committing them
	docs/gallery/make

generate: ## regenerate the assembly
	$(GO) generate $(addprefix ./,$(GENERATED))

check-generated: generate ## fail if regenerating changes a committed file
	@git diff --exit-code -- $(GENERATED)

peers: ## install peers (Debian packages, as root) and measure them beside Lockstep
	apt-get install -y -qq gcc f3d xvfb libegl-dev libgl-dev libgl1-mesa-dri libembree-dev
	cd bench/peers && $(GO) run . -big $(MESHES) && $(GO) run . -big -whole -frames 3 $(MESHES)
