import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../architecture/source-files.ts';
import { comesTrue } from '../kit/comes-true.ts';

const runFile = promisify(execFile);

/** A file of the tarball, as npm lists it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

export interface PackedPackage {
  /** The path of the tarball. */
  readonly tarball: string;
  readonly sizeBytes: number;
  readonly files: readonly PackedFile[];
  /** A folder with the tarball as an installed package, which programs in folders below it can import. */
  readonly folder: string;
  /** The folder of the unpacked package. */
  readonly installed: string;
}

/** Packages that plugin authors install beside this one, because their tests need them. */
const BESIDE = ['mocha', 'chai', 'fast-check', 'typescript', '@types/node', '@types/mocha'];

let packed: Promise<PackedPackage> | undefined;

/**
 * Packs and unpacks the package as it would be published, from the current build: once for all processes of `npm test`,
 * otherwise once per process. Dependencies in the manifest are links into this repository, so the test needs no
 * registry; undeclared ones cannot be imported.
 */
export const packedPackage = (): Promise<PackedPackage> => {
  const shared = process.env['TEST_PACKED'];
  packed ??= shared === undefined ? packAlone() : packTogether(shared);
  return packed;
};

const packAlone = (): Promise<PackedPackage> => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return pack(folder);
};

/** The process that makes the folder packs; the others wait for its result. */
const packTogether = async (folder: string): Promise<PackedPackage> => {
  const result = join(folder, 'packed.json');
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    await comesTrue(() => existsSync(result));
    return JSON.parse(readFileSync(result, 'utf8')) as PackedPackage;
  }
  const made = await pack(folder);
  writeFileSync(`${result}.new`, JSON.stringify(made));
  renameSync(`${result}.new`, result);
  return made;
};

const pack = async (folder: string): Promise<PackedPackage> => {
  const { stdout } = await runFile(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, '--loglevel', 'error'],
    { cwd: projectRoot(), maxBuffer: 16 * 1024 * 1024 },
  );
  const [told] = JSON.parse(stdout) as [{ filename: string; size: number; files: PackedFile[] }];
  const tarball = join(folder, told.filename);
  const installed = join(folder, 'node_modules', 'fact-memory-node');
  mkdirSync(installed, { recursive: true });
  await runFile('tar', ['-xzf', tarball, '--strip-components', '1', '-C', installed]);
  const manifest = readFileSync(join(installed, 'package.json'), 'utf8');
  const { dependencies, bin } = JSON.parse(manifest) as Record<'dependencies' | 'bin', Record<string, string>>;
  for (const name of [...Object.keys(dependencies), ...BESIDE]) linkPackage(folder, name);
  linkCommands(folder, installed, bin);
  return { tarball, sizeBytes: told.size, files: told.files, folder, installed };
};

const linkPackage = (folder: string, name: string, from = projectRoot()): void => {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(from, 'node_modules', name), place, 'dir');
};

/** Installs a framework beside the package, as its users do. Returns false where it is not installed for the tests. */
export const linkFramework = (folder: string, name: string): boolean => {
  const from = join(projectRoot(), 'test/frameworks');
  if (!existsSync(join(from, 'node_modules', name))) return false;
  if (!existsSync(join(folder, 'node_modules', name))) linkPackage(folder, name, from);
  return true;
};

const linkCommands = (folder: string, installed: string, bin: Readonly<Record<string, string>>): void => {
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands);
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(installed, file), 0o755);
    symlinkSync(join(installed, file), join(commands, name));
  }
  for (const name of ['mocha', 'tsc'])
    symlinkSync(join(projectRoot(), 'node_modules', '.bin', name), join(commands, name));
};
