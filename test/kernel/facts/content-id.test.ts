import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../../kernel/crypto/canonical-json.ts';
import { sha256Hex } from '../../../kernel/crypto/sha256-digest.ts';
import { type ContentIdFields, contentId, contentIdText } from '../../../kernel/facts/content-id.ts';
import { type FactValue, SCOPES } from '../../../ports/fact.ts';
import { RUNS } from '../../kit/property-runs.ts';

const content = (type: FactValue['type'], v: FactValue['v']): FactValue => ({ type, v, interpretAs: 'content' });

const V1: ContentIdFields = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: content('string', 'CEO'),
  scope: 'company',
  source: 'agent:w1',
  confidence: 1,
};
const V2: ContentIdFields = {
  entity: 'user:zo\u00eb',
  relation: 'memory:note',
  value: content('text', 'a"b\\c\n\u0007\u00e9\u{1f600}\u2028'),
  scope: 'public',
  source: 'agent:w1',
  confidence: 0.1,
};
const V3: ContentIdFields = {
  entity: 'user:bob',
  relation: 'memory:score',
  value: content('number', 1e21),
  scope: 'team',
  source: 'agent:w1',
  confidence: 0.5,
};
const V4: ContentIdFields = {
  entity: 'user:bob',
  relation: 'memory:none',
  value: content('null', null),
  scope: 'local',
  source: 'agent:w1',
  confidence: 0,
};

const text = fc.string({ unit: 'binary' });
const value: fc.Arbitrary<FactValue> = fc.record({
  type: fc.constantFrom('string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'),
  v: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
  interpretAs: fc.constantFrom('content', 'instruction'),
});
const fact: fc.Arbitrary<ContentIdFields> = fc.record({
  entity: text,
  relation: text,
  value,
  scope: fc.constantFrom(...SCOPES),
  source: text,
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('the content id', () => {
  const vectors: readonly (readonly [name: string, fact: ContentIdFields, digest: string])[] = [
    ['V1', V1, '0c5bdff9dc551d21c838adb2cc9ae6ab201114edc65e9b5df1957a88118a6e5a'],
    ['V2', V2, 'b6195cdf168846de10b3b7e63153359328c2656c33086038b32aea0e210c6242'],
    ['V3', V3, '2aedc75a7adb15e01b9846b13da277e0cc638f8e7d99fb6a276588322cfd9e7f'],
    ['V4', V4, '3f19d1977a8c0f4456136906847e7c9cfa854b0323c38131eca0eb70961f0aa2'],
  ];
  for (const [name, fields, digest] of vectors) {
    it(`of ${name} is the published digest`, () => {
      expect(contentId(fields)).to.equal(`sha256:${digest}`);
    });
  }

  it('covers the text of the worked example', () => {
    expect(contentIdText(V1)).to.equal(
      '{"confidence":1,"entity":"user:alice","relation":"memory:role","scope":"company","source":"agent:w1","value":{"type":"string","v":"CEO"}}',
    );
  });

  it('covers interpret_as only when the value is an instruction', () => {
    expect(contentIdText({ ...V1, value: { ...V1.value, interpretAs: 'instruction' } })).to.contain(
      '"value":{"interpret_as":"instruction","type":"string","v":"CEO"}}',
    );
  });

  it('is the digest of the RFC 8785 form that an independent library writes', () => {
    const agrees = fc.property(fact, (fields) => {
      const { confidence, entity, relation, scope, source, value } = fields;
      const wireValue = { type: value.type, v: value.v };
      const isInstruction = value.interpretAs === 'instruction';
      const canonical = canonicalJson({
        source,
        scope,
        value: isInstruction ? { ...wireValue, interpret_as: 'instruction' } : wireValue,
        relation,
        entity,
        confidence,
      });
      expect(contentIdText(fields)).to.equal(canonical);
      expect(contentId(fields)).to.equal(`sha256:${sha256Hex(canonical)}`);
    });
    fc.assert(agrees, { numRuns: RUNS });
  });

  it('does not depend on any member beyond the six', () => {
    const unmoved = fc.property(fact, fc.dictionary(fc.string(), fc.jsonValue()), (fields, extra) => {
      const stored = {
        ...extra,
        ...fields,
        id: 'x',
        hlc: { wallMs: 1, counter: 2 },
        validUntil: '2026',
        gardenId: 'g',
      };
      expect(contentId(stored)).to.equal(contentId(fields));
    });
    fc.assert(unmoved, { numRuns: RUNS });
  });

  it('differs when any of the six does', () => {
    const moved = fc.property(
      fact,
      fact,
      fc.constantFrom(...(Object.keys(V1) as (keyof ContentIdFields)[])),
      (a, b, member) => {
        const changed = { ...a, [member]: b[member] };
        const isSame = canonicalJson(changed[member]) === canonicalJson(a[member]);
        expect(contentId(changed) === contentId(a)).to.equal(isSame);
      },
    );
    fc.assert(moved, { numRuns: RUNS });
  });

  it('differs when a member contains text that imitates other members', () => {
    const apart = { ...V1, entity: 'user:alice","relation":"memory:role', relation: 'x' };
    expect(contentId(apart)).not.to.equal(contentId({ ...V1, relation: 'x' }));
  });

  it('is the same for both zeros', () => {
    expect(contentId({ ...V4, confidence: -0 })).to.equal(contentId(V4));
    expect(contentId({ ...V3, value: content('number', -0) })).to.equal(
      contentId({ ...V3, value: content('number', 0) }),
    );
  });

  it('is refused for values without a canonical form', () => {
    expect(() => contentId({ ...V1, confidence: Number.NaN })).to.throw(TypeError);
    expect(() => contentId({ ...V3, value: content('number', Number.POSITIVE_INFINITY) })).to.throw(TypeError);
    expect(() => contentId({ ...V1, entity: 'a\ud800' })).to.throw(TypeError);
    expect(() => contentId({ ...V1, value: content('text', '\udc00') })).to.throw(TypeError);
  });
});
