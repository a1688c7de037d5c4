#!/usr/bin/env node
// Comes first and alone, because all other imports load before the check runs, and an old Node.js would fail on them.
import './required-node.mjs';

// A bundle, because loading each module from its own file triples the time of a start.
void import('./choose-program.ts').then(
  ({ chooseProgram }) => import(new URL(`../program/${chooseProgram(process.argv.slice(2))}.js`, import.meta.url).href),
);
