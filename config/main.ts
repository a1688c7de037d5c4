#!/usr/bin/env node
// Comes first and alone, because all other imports load before the check runs, and an old Node.js would fail on them.
import './required-node.mjs';

// The bundle of program.ts, because loading each module from its own file triples the time of a start.
void import(new URL('../program/program.js', import.meta.url).href);
