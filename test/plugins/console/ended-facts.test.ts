import { expect } from 'chai';
import { importConsoleModule } from '../../kit/console-module.ts';

interface Listed {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly scope: string;
  readonly garden_id: string | null;
  readonly value: { readonly type: string; readonly v: unknown };
  readonly confidence: number;
  readonly contradicted: boolean;
  readonly hlc: string;
  readonly valid_until: string | null;
}

interface EndedModule {
  endedIn(facts: readonly Listed[], ownPrefix: string, nowMs: number): ReadonlyMap<string, string>;
}

const NOW_MS = Date.parse('2026-05-01T00:00:00Z');

const fact = (id: string, members: Partial<Listed> & { readonly v?: unknown } = {}): Listed => {
  const { v = id, ...others } = members;
  return {
    id,
    entity: 'project:lantern',
    relation: 'memory:opens',
    scope: 'company',
    garden_id: null,
    value: { type: 'string', v },
    confidence: 0.9,
    contradicted: false,
    hlc: `${id.length}000.0`,
    valid_until: null,
    ...others,
  };
};

describe('the marks of ended facts in a list of the console', () => {
  let ended: (...facts: readonly Listed[]) => Readonly<Record<string, string>>;
  before(async () => {
    const { endedIn } = await importConsoleModule<EndedModule>('kit/ended-facts.ts');
    ended = (...facts) => Object.fromEntries(endedIn(facts, 'svc:', NOW_MS));
  });

  it('show facts that a newer value has settled, unless they are contradicted', () => {
    const old = fact('old', { hlc: '999.12' });
    const settled = fact('settled', { hlc: '1000.2' });
    expect(ended(settled, old)).to.deep.equal({ old: 'settled' });
    expect(ended(old, { ...settled, hlc: '999.9' })).to.deep.equal({ settled: 'settled' });
    expect(ended({ ...settled, contradicted: true }, { ...old, contradicted: true })).to.deep.equal({});
    expect(ended(settled, { ...old, value: settled.value })).to.deep.equal({});
  });

  it('show facts from before a retraction as ended, and no later facts', () => {
    const old = fact('old', { hlc: '1.0' });
    const retraction = fact('retraction', { hlc: '2.0', confidence: 0 });
    const later = fact('later', { hlc: '3.0' });
    expect(ended(later, retraction, old)).to.deep.equal({ old: 'retracted' });
    expect(ended(later, retraction)).to.deep.equal({});
    expect(ended(retraction)).to.deep.equal({});
  });

  it('ignore newer facts of other gardens, expired facts and system facts', () => {
    const old = fact('old', { hlc: '1.0' });
    const elsewhere = [{ entity: 'x' }, { relation: 'memory:y' }, { scope: 'team' }, { garden_id: 'z' }];
    for (const place of elsewhere) expect(ended(fact('other', { hlc: '2.0', ...place }), old)).to.deep.equal({});
    expect(ended(fact('over', { hlc: '2.0', valid_until: '2026-04-30T00:00:00Z' }), old)).to.deep.equal({});
    const own = ['1.0', '2.0', '3.0'].map((hlc) => fact(`of-${hlc}`, { hlc, relation: 'svc:conflict:between' }));
    expect(ended(...own)).to.deep.equal({});
  });

  it('treat different spellings of one value as equal', () => {
    const refs = ['Project:Lantern', 'project:lantern'].map((v, at) =>
      fact(`ref-${at}`, { hlc: `${at}.0`, value: { type: 'ref', v } }),
    );
    expect(ended(...refs)).to.deep.equal({});
    const times = ['2026-05-01T12:00:00Z', '2026-05-01T14:00:00+02:00'].map((v, at) =>
      fact(`time-${at}`, { hlc: `${at}.0`, value: { type: 'datetime', v } }),
    );
    expect(ended(...times)).to.deep.equal({});
  });
});
