import { posix } from 'node:path';
import { expect } from 'chai';
import { blocksOf } from '../documents/read-pages.ts';
import { importsOf, readSources, type SourceFile } from './source-files.ts';

const PAGE = 'docs/concepts/architecture.md';
/** The diagram leaves out these two folders, which import the whole product. */
const NOT_DRAWN = /^(test|bench)\//;

interface Picture {
  /** The folders that the diagram draws as boxes. */
  readonly parts: readonly string[];
  /** The arrows as `from --> to`, sorted. */
  readonly arrows: readonly string[];
}

/** Parses `id["folder — words"]` and `id --> id`; any other line of the diagram is an error. */
const readPicture = (code: string): Picture => {
  const parts = new Map<string, string>();
  const arrows: string[] = [];
  for (const line of code.split('\n').slice(1).filter(Boolean)) {
    const [, id, folder] = /^ {2}(\w+)\["([a-z/-]+) — [^"]+"\]$/.exec(line) ?? [];
    if (id !== undefined && folder !== undefined) {
      parts.set(id, folder);
      continue;
    }
    const [, from = '', to = ''] = /^ {2}(\w+) --> (\w+)$/.exec(line) ?? [];
    if (!parts.has(from) || !parts.has(to)) throw new Error(`${PAGE}: cannot read the line "${line}" of the picture`);
    arrows.push(`${parts.get(from)} --> ${parts.get(to)}`);
  }
  return { parts: [...parts.values()], arrows: arrows.sort() };
};

/** Returns the box of a file: the longest drawn folder that contains it. */
const partOf = (path: string, parts: readonly string[]): string | undefined =>
  parts.filter((part) => path.startsWith(`${part}/`)).sort((one, other) => other.length - one.length)[0];

/** Returns one arrow for all imports from one box to another, sorted. */
const arrowsOf = (files: readonly SourceFile[], parts: readonly string[]): string[] => {
  const arrows = new Set<string>();
  for (const { path, text } of files) {
    const from = partOf(path, parts);
    for (const { specifier } of importsOf(text).filter((one) => one.specifier.startsWith('.'))) {
      const to = partOf(posix.normalize(posix.join(posix.dirname(path), specifier)), parts);
      if (from !== to) arrows.add(`${from} --> ${to}`);
    }
  }
  return [...arrows].sort();
};

describe('the architecture diagram', () => {
  const code = blocksOf(PAGE).find(({ language }) => language === 'mermaid')?.code ?? '';
  let files: SourceFile[];
  before(async () => {
    files = (await readSources()).filter(({ path }) => !NOT_DRAWN.test(path));
  });

  it('has a box for every folder', () => {
    const { parts } = readPicture(code);
    expect(files.filter(({ path }) => partOf(path, parts) === undefined).map(({ path }) => path)).to.deep.equal([]);
    expect(parts.filter((part) => !files.some(({ path }) => partOf(path, parts) === part))).to.deep.equal([]);
  });

  it('has an arrow for every import between two boxes, and no other arrow', () => {
    const { parts, arrows } = readPicture(code);
    expect(arrows).to.deep.equal(arrowsOf(files, parts));
  });

  it('fails this test if it is wrong', () => {
    const { parts, arrows } = readPicture(code);
    const stray = { path: 'kernel/a.ts', text: "import { x } from '../plugins/facts/facts-api.ts';" };
    expect(arrowsOf([...files, stray], parts)).to.not.deep.equal(arrows);
    expect(() => readPicture(`${code}  kernel ~~> ports\n`)).to.throw('cannot read the line');
  });
});
