# Bare `make` prints the targets.
GO       ?= go
FUZZTIME ?= 10s
CPUS     ?= 1,2

# Packages that start goroutines or report assembly to the race detector.
RACE = ./vp/... ./lb/overlay/... ./scenes/... ./render/... ./bench/... ./cmd/...

# Packages with generated assembly.
GENERATED = render/internal/kernel scenes/stl/internal/kernel bench/uts bench/flowshop

.PHONY: help gallery build test race bench lint fuzz cover golden generate check-generated isa purego cross v3 peers

help: ## print this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

build: ## build bin/render, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/render ./cmd/render

test: ## run all tests
	$(GO) test ./...

race: ## run the tests of packages with goroutines under the race detector
	$(GO) test -race $(RACE)

isa: ## test kernels and pictures by AVX2 alone and by AVX-512 alone; LOCKSTEP_REQUIRE_ISA=avx2,avx512 makes a missing one an error
	@set -e; for set in avx2 avx512; do \
		if LOCKSTEP_ISA= LOCKSTEP_REQUIRE_ISA=$$set $(GO) test -run '^TestRequired$$' ./vp/isa/isatest >/dev/null; then \
			echo "$$set alone:"; \
			LOCKSTEP_ISA=$$set LOCKSTEP_REQUIRE_ISA=$$set $(GO) test ./render/internal/kernel/... ./render ./scenes/stl/internal/kernel; \
		else case ",$$LOCKSTEP_REQUIRE_ISA," in \
			*,$$set,*) echo "$$set is required and was NOT TESTED: this processor lacks it" >&2; exit 1;; \
			*) echo "$$set was NOT TESTED: this processor lacks it";; \
		esac; fi; \
	done

purego: ## run the tests without assembly
	$(GO) test -tags purego ./vp/... ./scenes/... ./render/... ./cmd/...

v3: ## run the tests with the compiler free to use AVX2 and FMA
	GOAMD64=v3 $(GO) test ./vp/... ./scenes/... ./render/... ./lb/...

cross: ## build for other processors and systems
	GOARCH=arm64 $(GO) build ./...
	GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) build ./...
	GOOS=windows GOARCH=amd64 $(GO) build ./...
	GOOS=js GOARCH=wasm $(GO) build ./...
	GOOS=linux GOARCH=arm $(GO) vet ./...
	GOOS=linux GOARCH=386 $(GO) vet ./...

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

fuzz: ## run every fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list ./...); do \
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
	$(GO) test ./render -run Golden -update
	$(GO) test ./scenes/stl -run Testdata -update

gallery: build ## draw the pictures of docs/gallery.md; look at them before committing them
	docs/gallery/make

generate: ## regenerate the assembly
	$(GO) generate $(addprefix ./,$(GENERATED))

check-generated: generate ## fail if regenerating changes a committed file
	@git diff --exit-code -- $(GENERATED)

peers: ## install peers (Debian packages, as root) and measure them beside Lockstep
	apt-get install -y -qq gcc f3d xvfb libegl-dev libgl-dev libgl1-mesa-dri libembree-dev
	cd bench/peers && $(GO) run . -big $(MESHES) && $(GO) run . -big -whole -frames 3 $(MESHES)
