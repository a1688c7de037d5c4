#!/usr/bin/env node
import { runCommandLine } from '../adapters/cli/command-line.ts';
import { createCommandLineDeps } from './command-line-deps.ts';

// `| head` closes the pipe early: that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), createCommandLineDeps(process));
