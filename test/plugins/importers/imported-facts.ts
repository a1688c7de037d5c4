import { fileURLToPath } from 'node:url';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { projectRoot } from '../../architecture/source-files.ts';

export const samplePath = (name: string): string =>
  fileURLToPath(new URL(`file://${projectRoot()}/test/plugins/importers/samples/${name}`));

/** What a run says that sends nothing: no node has to be there. */
export const tryImport = (...argv: readonly string[]) => runInProcess(['import-from', ...argv, '--dry-run']);
