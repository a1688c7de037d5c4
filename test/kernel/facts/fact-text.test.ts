import { expect } from 'chai';
import { KERNEL_WORDS } from '../../../kernel/boot/kernel-words.ts';
import { createFactJson } from '../../../kernel/facts/fact-json.ts';
import { createFactText } from '../../../kernel/facts/fact-text.ts';
import { plainView } from '../../../kernel/internal-api.ts';
import { type FactView, type StoredFact, withMark } from '../../../kernel/plugin-api.ts';
import { collectWords } from '../../../kernel/vocabulary/vocabulary.ts';
import { CONTRADICTED } from '../../../plugins/conflicts/conflicts-api.ts';
import { EXPECTED_MEMBERS } from '../../../plugins/facts/expected-members.ts';
import { QUARANTINE } from '../../../plugins/gardens/gardens-api.ts';
import { SOURCE_TRUST } from '../../../plugins/source-trust/source-trust-api.ts';
import { madeFact } from '../../plugins/facts/made-facts.ts';

describe('the cached JSON text of a fact', () => {
  const words = [...KERNEL_WORDS, ...EXPECTED_MEMBERS, CONTRADICTED, QUARANTINE, SOURCE_TRUST];
  const vocabulary = collectWords(
    words.map((word) => ({ word, owner: 'test' })),
    [],
  );
  const json = createFactJson(vocabulary);
  let written: number;
  const text = createFactText((view) => {
    written += 1;
    return json(view);
  });
  beforeEach(() => {
    written = 0;
  });

  const kept = (): StoredFact => Object.freeze(madeFact('a', []));
  const expectSame = (view: FactView): void => {
    expect(text(view)).to.equal(JSON.stringify(json(view)));
  };

  it('is computed once for all callers whose members added by plugins are equal', () => {
    const view = plainView(kept());
    for (let time = 0; time < 3; time += 1) {
      expectSame(plainView(view.fact));
      expectSame(withMark(withMark(view, SOURCE_TRUST, 0.5), CONTRADICTED, true));
    }
    for (let time = 0; time < 3; time += 1) expectSame(withMark(view, SOURCE_TRUST, 0.5));
    expect(written).to.be.below(10);
  });

  it('always has the members that plugins add for the caller, after any other calls', () => {
    const plain = plainView(kept());
    const views = [
      plain,
      withMark(plain, SOURCE_TRUST, 0.5),
      withMark(plain, SOURCE_TRUST, 0.6),
      withMark(withMark(plain, SOURCE_TRUST, 0.6), CONTRADICTED, true),
      withMark(plain, CONTRADICTED, true),
      withMark(plain, QUARANTINE, { status: 'pending', garden: 'g-1' }),
      withMark(plain, QUARANTINE, { status: 'pending', garden: 'g-2' }),
      { ...plain, warnings: ['careful'] },
      plain,
    ];
    for (const view of [...views, ...views.reverse()]) expectSame(view);
  });

  it('is computed again for a fact that is not frozen', () => {
    const fact = madeFact('a', []);
    expectSame(plainView(fact));
    (fact as { confidence: number }).confidence = 0.25;
    expectSame(plainView(fact));
  });
});
