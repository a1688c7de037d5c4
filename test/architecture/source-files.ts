import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders that contain the program. */
const SOURCE_FOLDERS = ['ports', 'kernel', 'adapters', 'plugins', 'config', 'client', 'test', 'bench'] as const;

export interface SourceFile {
  /** The path from the project root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Finds the project root, upwards from the compiled test. */
export const projectRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(folder, 'tsconfig.json'));
      return folder;
    } catch {
      folder = dirname(folder);
    }
  }
};

export const readSources = async (): Promise<SourceFile[]> => {
  const root = projectRoot();
  const files: SourceFile[] = [];
  for (const folder of SOURCE_FOLDERS) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      // Some tests install packages into their own folders.
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.parentPath.includes('node_modules')) continue;
      const full = join(entry.parentPath, entry.name);
      files.push({ path: relative(root, full).split(sep).join('/'), text: readFileSync(full, 'utf8') });
    }
  }
  return files;
};

/** Reads the JavaScript files in the folder `scripts` of the project. */
export const readScripts = (): SourceFile[] =>
  readdirSync(join(projectRoot(), 'scripts')).map((name) => ({
    path: `scripts/${name}`,
    text: readFileSync(join(projectRoot(), 'scripts', name), 'utf8'),
  }));

/** Returns every module specifier that a file imports or re-exports, and whether the statement imports only types. */
export const importsOf = (text: string): { specifier: string; typeOnly: boolean }[] => {
  const found: { specifier: string; typeOnly: boolean }[] = [];
  const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s*['"]([^'"]+)['"]/g;
  for (const match of text.matchAll(statement))
    found.push({ specifier: match[2] ?? '', typeOnly: match[1] !== undefined });
  for (const match of text.matchAll(/(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g)) {
    found.push({ specifier: match[1] ?? '', typeOnly: false });
  }
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) {
    found.push({ specifier: match[1] ?? '', typeOnly: false });
  }
  return found;
};
