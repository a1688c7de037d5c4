import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LoadPlan, LoadReport } from './load-plan.ts';

const LOAD_PROCESS = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** Runs one load in a child process and returns its report. Rejects when a connection breaks. */
export const runLoad = async (plan: LoadPlan): Promise<LoadReport> => {
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD_PROCESS, JSON.stringify(plan)]);
  return JSON.parse(stdout) as LoadReport;
};
