import { expect } from 'chai';
import { readSources } from '../architecture/source-files.ts';

const INVARIANTS = Array.from({ length: 22 }, (_, at) => `I${at + 1}`);

describe('the list of attacks', () => {
  it('has one at least for each invariant, named in a title', async () => {
    const attacks = (await readSources()).filter(({ path }) => /^test\/hostile\/.+\/.+\.test\.ts$/.test(path));
    const titles = attacks.flatMap(({ text }) =>
      [...text.matchAll(/(?:describe|forEachStore|it)\(\s*(['"`])(.*?)\1,/gs)].map(([, , title]) => title ?? ''),
    );
    const named = new Set(titles.flatMap((title) => title.match(/\bI\d+\b/g) ?? []));
    expect(INVARIANTS.filter((invariant) => !named.has(invariant))).to.deep.equal([]);
    expect([...named].filter((name) => !INVARIANTS.includes(name))).to.deep.equal([]);
  });
});
