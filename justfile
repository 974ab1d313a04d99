# Commands of this project: `just NAME`, or `just` for the list.

_list:
    @just --list

# Run the gate: format, lints, docs, tests, and our own scenarios
gate:
    .ci/run

# Overwrite expected messages, playthroughs and generated tables with what the program writes: read the diff
snapshots:
    SNAPSHOTS=overwrite cargo test --test suite

# Overwrite the generated rows of docs/
docs:
    SNAPSHOTS=overwrite cargo test --test suite -- documents the_reference_lists_every_code

# Run one bench, or all of them
bench *NAME:
    cargo bench {{ if NAME == "" { "" } else { "--bench " + NAME } }}

# Fuzz a target, or list the targets; needs a nightly toolchain and cargo-fuzz
fuzz TARGET="" RUNS="1000000":
    {{ if TARGET == "" { "cargo +nightly fuzz list" } else { "fuzz/seeds && cargo +nightly fuzz run -s none " + TARGET + " -- -max_len=1024 -runs=" + RUNS } }}

# Build the binary of a release, in target/dist
dist:
    cargo build --locked --profile dist
