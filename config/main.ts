#!/usr/bin/env node
// Comes first and alone, because all other imports load before the check runs, and an old Node.js would fail on them.
import './required-node.mjs';

void import(new URL('start-program.js', import.meta.url).href);
