import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the file that `import` would load for a specifier in a module in `folder`; undefined without one. Node
 * resolves specifiers only for the importing module, so packages of the operator's folder are resolved here. This
 * follows the part of Node's algorithm that packages use: `exports` with conditions and subpaths, `module`, `main`.
 */
export const resolveModule = (specifier: string, folder: string): string | undefined => {
  if (/^\.{0,2}[/\\]|^\.{1,2}$/.test(specifier) || isAbsolute(specifier))
    return fileOrPackage(resolve(folder, specifier));
  if (specifier.startsWith('file:')) return fileOrPackage(fileURLToPath(specifier));
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const beside = dirname(fileURLToPath(import.meta.url));
  for (const start of [folder, beside]) {
    for (const candidate of upwards(resolve(start))) {
      const root = join(candidate, 'node_modules', name);
      if (existsSync(root)) return packageEntry(root, rest === undefined || rest === '' ? '.' : `./${rest}`);
    }
  }
  return undefined;
};

const upwards = (folder: string): string[] => {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const fileOrPackage = (path: string): string | undefined => (isFile(path) ? path : packageEntry(path, '.'));

const packageEntry = (root: string, subpath: string): string | undefined => {
  const manifest = readManifest(join(root, 'package.json'));
  const exported = manifest.exports === undefined ? undefined : exportTarget(manifest.exports, subpath);
  const candidates =
    manifest.exports !== undefined
      ? [exported]
      : subpath === '.'
        ? [manifest.main, 'index.js', 'index.mjs']
        : [subpath, `${subpath}.js`];
  const found = candidates.find((target) => target !== undefined && isFile(join(root, target)));
  return found === undefined ? undefined : join(root, found);
};

interface Manifest {
  readonly main?: string;
  readonly exports?: unknown;
}

const readManifest = (file: string): Manifest => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : {};
  } catch {
    return {};
  }
};

/** The conditions of an `import` in this program; the first that a package lists wins. */
const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

const exportTarget = (exports: unknown, subpath: string): string | undefined => {
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  if (!isMap) return subpath === '.' ? conditional(exports) : undefined;
  return conditional((exports as Record<string, unknown>)[subpath]);
};

const conditional = (target: unknown): string | undefined => {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(conditional).find((found) => found !== undefined);
  if (!isRecord(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    const found = CONDITIONS.has(condition) ? conditional(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
