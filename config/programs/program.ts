import { runCommandLine } from '../../adapters/cli/command-line.ts';
import { createCommandLineDeps } from '../command-line-deps.ts';
import { runToEnd } from '../run-to-end.ts';

await runToEnd(() => runCommandLine(process.argv.slice(2), createCommandLineDeps(process)));
