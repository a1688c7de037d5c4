import { basename } from 'node:path';
import { expect } from 'chai';
import { readSources, type SourceFile } from './source-files.ts';

const MAX_LINES = 300;
/** A generated type with an entry for each route, which needs no limit on its length. */
const WRITTEN_BY_PROGRAM = 'client/api-types.ts';
const BANNED_NAMES = /^(utils?|helpers?|common|misc|types?|index)$/;
/** Direct access to time, randomness and the network, which come through ports so that a test can control them. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bcrypto\.random|\brandomBytes\(|\brandomUUID\(|\bsetTimeout\(|\bsetInterval\(|\bfetch\(|['"]node:dns/;
/** The files in which client and console pick up the clock, the randomness and the network of their platform. */
const HANDS_OVER = /^(client\/(platform|client-options)|plugins\/console\/app\/kit\/platform)\.ts$/;
const COMMENT = /^\s*(\*|\/\/|\/\*)/;
/** A docstring before another one, or at the end of the file. */
const ORPHAN = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=\/\*\*|\n*$(?![\s\S]))/gm;
const MARKS = /\b(TODO|FIXME|XXX|HACK)\b/;

describe('the shape of the source', () => {
  let files: SourceFile[];
  before(async () => {
    files = await readSources();
    expect(files.length).to.be.above(100);
  });

  it('keeps every file under 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES).map(({ path }) => path);
    expect(long).to.deep.equal([WRITTEN_BY_PROGRAM]);
  });

  it('keeps comments within 120 columns', () => {
    const wide = files.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => (line.length > 120 && COMMENT.test(line) ? [`${path}:${at + 1}`] : [])),
    );
    expect(wide).to.deep.equal([]);
  });

  it('puts every docstring directly before what it describes', () => {
    const orphans = files.flatMap(({ path, text }) =>
      [...text.matchAll(ORPHAN)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    );
    expect(orphans).to.deep.equal([]);
  });

  it('names files in kebab-case, and never with a vague name such as "utils"', () => {
    const names = files.map(({ path }) => basename(path).replace(/(\.test|\.d)?\.tsx?$/, ''));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || BANNED_NAMES.test(name))).to.deep.equal([]);
  });

  it('writes functions and private members in one style', () => {
    // AssemblyScript has its own dialect. Generators and assertion functions cannot be arrow functions.
    const own = files.filter(({ path }) => !path.startsWith('plugins/search/codes/wasm/'));
    const others = own.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?(?:async )?function \w+[^{]*|^ +private (?!constructor).*/gm)]
        .filter(([found]) => !/\): asserts /.test(found))
        .map(([found]) => `${path}: ${found.split('\n')[0]}`),
    );
    expect(others).to.deep.equal([]);
  });

  it('uses named exports only', () => {
    expect(files.filter(({ text }) => /\bexport default\b/.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('uses time, randomness and the network only through ports, outside adapters', () => {
    const pure = files.filter(({ path }) => /^(ports|kernel|plugins|client)\//.test(path) && !HANDS_OVER.test(path));
    expect(pure.filter(({ text }) => IMPURE.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('normalises Unicode in one module, which bounds runs of combining marks', () => {
    const own = files.filter(({ path }) => !path.startsWith('test/') && path !== 'ports/normalise-text.ts');
    expect(own.filter(({ text }) => /\.normalize\(/.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('never compares stamps as text', () => {
    const suspects = files.filter(
      ({ path, text }) =>
        !path.startsWith('test/') && /order\w*\(?['"`\s]*hlc_text|hlcText\s*(<|>|\.localeCompare)/i.test(text),
    );
    expect(suspects.map(({ path }) => path)).to.deep.equal([]);
  });

  it('contains no TODO marks', () => {
    const others = files.filter(({ path }) => path !== 'test/architecture/file-shape.test.ts');
    expect(others.filter(({ text }) => MARKS.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });
});
