import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect } from 'chai';
import { importsOf, projectRoot, readSources, type SourceFile } from './source-files.ts';

/** For each folder, the folders that it imports, and the import lines. */
type Floors = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Returns the folder directly below `top` that holds the file, or the file itself if it lies in `top`. */
const folderOf = (path: string, top: string): string | undefined =>
  path.startsWith(`${top}/`) ? path.split('/')[1] : undefined;

/** Type imports count too, because a reader follows them as well. */
const floorsOf = (files: readonly SourceFile[], top: string): Floors => {
  const floors = new Map<string, Map<string, string[]>>();
  for (const { path, text } of files) {
    const from = folderOf(path, top);
    if (from === undefined) continue;
    const imported = floors.get(from) ?? new Map<string, string[]>();
    floors.set(from, imported);
    for (const { specifier } of importsOf(text)) {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      const to = specifier.startsWith('.') ? folderOf(target, top) : undefined;
      if (to === undefined || to === from) continue;
      imported.set(to, [...(imported.get(to) ?? []), `${path} imports ${target}`]);
    }
  }
  return floors;
};

/** Returns folders in reading order, each after all folders that it imports, and the lines of the first cycle. */
const readingOrder = (floors: Floors): { readonly order: readonly string[]; readonly cycle: readonly string[] } => {
  const order: string[] = [];
  const trail: string[] = [];
  const visit = (folder: string): readonly string[] => {
    if (order.includes(folder)) return [];
    const start = trail.indexOf(folder);
    if (start >= 0) return linesAround([...trail.slice(start), folder], floors);
    trail.push(folder);
    for (const next of [...(floors.get(folder)?.keys() ?? [])].sort()) {
      const cycle = visit(next);
      if (cycle.length > 0) return cycle;
    }
    trail.pop();
    order.push(folder);
    return [];
  };
  for (const folder of [...floors.keys()].sort()) {
    const cycle = visit(folder);
    if (cycle.length > 0) return { order, cycle };
  }
  return { order, cycle: [] };
};

const linesAround = (circle: readonly string[], floors: Floors): string[] => [
  circle.join(' -> '),
  ...circle.slice(1).flatMap((to, place) => floors.get(circle[place] ?? '')?.get(to) ?? []),
];

/** Returns the folders of the README table under this heading, row by row. */
const shownOrder = (top: string): string[] => {
  const text = readFileSync(join(projectRoot(), top, 'README.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('Reading order\n')) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...line.matchAll(/`([a-z0-9-]+)\/`/g)].map(([, folder = '']) => folder));
};

/** Returns every folder that is listed before one that it imports. */
const misplaced = (shown: readonly string[], floors: Floors): string[] =>
  shown.flatMap((folder, place) =>
    [...(floors.get(folder)?.keys() ?? [])]
      .filter((imported) => shown.indexOf(imported) > place)
      .map((imported) => `${folder} stands before ${imported}, which it imports`),
  );

for (const top of ['kernel', 'plugins']) {
  describe(`the folders of ${top}`, () => {
    let floors: Floors;
    before(async () => {
      floors = floorsOf(await readSources(), top);
    });

    it('form no import cycle', () => {
      expect(readingOrder(floors).cycle.join('\n')).to.equal('');
    });

    it('are listed in the README after all folders that they import', () => {
      const { order } = readingOrder(floors);
      const folders = order.filter((name) => !name.endsWith('.ts'));
      const shown = shownOrder(top);
      const hint = `one valid order: ${folders.join(', ')}`;
      expect([...shown].sort(), hint).to.deep.equal([...folders].sort());
      expect(misplaced(shown, floors), hint).to.deep.equal([]);
    });
  });
}

describe('the check of the reading order', () => {
  const floors = floorsOf(
    [
      { path: 'kernel/a/one.ts', text: "import type { B } from '../b/two.ts';" },
      { path: 'kernel/b/two.ts', text: "export { c } from '../c/three.ts';" },
      { path: 'kernel/c/three.ts', text: "import { a } from '../a/one.ts';" },
    ],
    'kernel',
  );

  it('names a cycle and each line that closes it', () => {
    expect(readingOrder(floors).cycle).to.deep.equal([
      'a -> b -> c -> a',
      'kernel/a/one.ts imports kernel/b/two.ts',
      'kernel/b/two.ts imports kernel/c/three.ts',
      'kernel/c/three.ts imports kernel/a/one.ts',
    ]);
  });

  it('names a folder that is listed before one that it imports', () => {
    expect(misplaced(['b', 'a', 'c'], floors)).to.deep.equal(['b stands before c, which it imports']);
  });
});
