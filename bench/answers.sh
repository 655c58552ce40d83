#!/bin/sh
# Writes what `answers.py` learns from: every statement that a question of `examples/answers` may be answered with, with its signs.
# usage: bench/answers.sh MANUALS DATA_FOLDER DUMP
# MANUALS holds the pages of each manual under git, bash, policy, sqlite, python and postgresql.
set -eu
manuals=$1 data=$2 dump=$3
cd "$(dirname "$0")/.."
program=${QUAESTIO:-target/release/quaestio}
bench=${QUAESTIO_BENCH:-target/release/quaestio-bench}
answers=examples/answers

take_in() { "$program" ingest "$1" --collection "$2" --data-dir "$data"; }
take_in "$manuals" manuals
set -- --ask "manuals=$answers/manuals-tuning.jsonl" --ask "manuals=$answers/learning/manuals.jsonl"
for name in notes de fr es zh ja; do
    take_in "$answers/documents/$name" "$name"
    take_in "$answers/learning/documents/$name" "$name-learning"
    set -- "$@" --ask "$name=$answers/$name-tuning.jsonl" --ask "$name-learning=$answers/learning/$name.jsonl"
    # Questions about other documents, which these do not answer.
    set -- "$@" --foreign "$name=$answers/learning/$name.jsonl" --foreign "$name-learning=$answers/$name-tuning.jsonl"
done
take_in "$answers/learning/documents/en" en-learning
set -- "$@" --ask "en-learning=$answers/learning/en.jsonl"
set -- "$@" --foreign "en-learning=$answers/notes-tuning.jsonl" --foreign "manuals=$answers/notes-tuning.jsonl"
"$bench" answers --data-dir "$data" "$@" --dump "$dump"
