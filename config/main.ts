#!/usr/bin/env node
// First of all, and alone: whatever is imported here is loaded before the check has run, and an old Node.js fails on it
// by itself.
import './required-node.mjs';

void import('./program.ts');
