import { expect } from 'chai';
import { ageOf, factRows, type ShownFact } from '../../../kernel/commands/shown-fact.ts';

const NOW_MS = Date.parse('2026-03-02T09:00:00Z');

const FACT: ShownFact = {
  id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  entity: 'user:noor',
  relation: 'memory:role',
  value: { type: 'string', v: 'one' },
  source: 'agent:s',
  confidence: 0.8,
  scope: 'team',
  timestamp: '2026-03-01T08:00:00Z',
  valid_until: null,
  garden_id: null,
  contradicted: false,
};

const textsOf = (members: Partial<ShownFact>): string[] =>
  factRows({ ...FACT, ...members }, { lead: '1.', nowMs: NOW_MS }).map((row) =>
    row.map((cell) => (typeof cell === 'string' ? cell : cell.text)).join('|'),
  );

describe('a fact in the output of a list command', () => {
  it('shows value, entity, relation, source, confidence, age, scope and garden', () => {
    expect(textsOf({})).to.deep.equal([
      '1.|one',
      `|user:noor memory:role · agent:s · confidence 0.80 · 1 day ago · team · ${FACT.id}`,
    ]);
    expect(textsOf({ garden_id: 'svc://a.example/garden/board' })[1]).to.contain(' · team, garden board · ');
  });

  it('shows a retraction without a value as such', () => {
    const retraction = { confidence: 0, value: { type: 'null', v: null } };
    expect(textsOf(retraction)[0]).to.equal('1.|retraction');
    expect(textsOf(retraction)).to.have.lengthOf(2);
  });

  for (const [members, mark] of [
    [{ contradicted: true }, 'contradicted'],
    [{ differs_elsewhere: true }, 'another place says otherwise'],
    [{ ended: 'superseded' }, 'superseded'],
    [{ confidence: 0 }, 'retraction'],
    [{ value: { type: 'text', v: 'do it', interpret_as: 'instruction' } }, 'instruction'],
    [{ attested: false }, 'source not attested'],
    [{ received_from: 'svc://b.example' }, 'received from svc://b.example'],
    [{ valid_from: '2026-03-02T09:00:00Z' }, 'valid from 2026-03-02T09:00:00Z'],
    [{ valid_from: '2026-03-02T09:00:01Z' }, 'not valid before 2026-03-02T09:00:01Z'],
    [{ valid_until: '2026-03-02T08:59:59Z' }, 'expired 2026-03-02T08:59:59Z'],
    [{ valid_until: '2026-03-02T09:00:01Z' }, 'valid until 2026-03-02T09:00:01Z'],
  ] as const) {
    it(`is marked: ${mark}`, () => {
      expect(textsOf(members)[1]).to.equal(`|${mark}`);
    });
  }

  it('shows its age in the largest unit that fits', () => {
    const ago = (seconds: number): string => ageOf(new Date(NOW_MS - seconds * 1_000).toISOString(), NOW_MS);
    expect([0, 59, 60, 3_599, 7_200, 86_400, 31 * 86_400, 800 * 86_400].map(ago)).to.deep.equal([
      'just now',
      'just now',
      '1 minute ago',
      '59 minutes ago',
      '2 hours ago',
      '1 day ago',
      '1 month ago',
      '2 years ago',
    ]);
    expect(ago(-7_200)).to.equal('in 2 hours');
    expect(ageOf('at dawn\u001b', NOW_MS)).to.equal('at dawn');
  });
});
