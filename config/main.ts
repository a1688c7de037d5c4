#!/usr/bin/env node
// First and alone: every import here loads before the check runs, and an old Node.js fails on it by itself.
import './required-node.mjs';

void import('./program.ts');
