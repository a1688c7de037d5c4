import { expect } from 'chai';
import fc from 'fast-check';
import { createSigner, encodeBase64Url, keyIdOf, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { commitmentsOf, originStatement, readSalt } from '../../../../plugins/federation/proofs/origin-statement.ts';
import { originStatement as statedAnew, type WireFact } from '../../../kit/federation/wire-fact.ts';
import { RUNS } from '../../../kit/property-runs.ts';

/** The worked example in docs/reference/federation.md. */
const ORIGIN = 'svc://node.alpha.example';
const FACT = {
  id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  entity: 'svc://alpha.example/user/noor',
  relation: 'memory:role',
  value: { type: 'string', v: 'archivist', interpretAs: 'content' },
  source: 'agent:indexer-7',
  timestamp: '2026-03-02T09:15:04.120Z',
  hlcText: '1772442904120.0',
  confidence: 0.9,
  scope: 'public',
  validFrom: null,
  validUntil: null,
  derivedFrom: [],
  replaces: [],
} as const;
const SALT = Buffer.alloc(16, 1);
const REFS_SALT = Buffer.alloc(16, 2);
const STATEMENT =
  '{"confidence":0.9,"entity":"svc://alpha.example/user/noor","hlc":"1772442904120.0",' +
  '"id":"5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11","origin_node_id":"svc://node.alpha.example",' +
  '"refs_commitment":"sha256:8b329944d3a124305095b5c809d311f143dc229a05b0ce30dc7a4099638bc864",' +
  '"relation":"memory:role","scope":"public","source":"agent:indexer-7",' +
  '"timestamp":"2026-03-02T09:15:04.120Z","v":1,"valid_until":null,' +
  '"value_commitment":"sha256:5b8564e951d69b48410ca8e50f911130d79aab642bf0c29620ba5762cd0ca51b"}';

describe('the statement that an origin signs', () => {
  it('equals the documented worked example, byte for byte', () => {
    const statement = originStatement(FACT, commitmentsOf(FACT, { salt: SALT, refsSalt: REFS_SALT }), ORIGIN);
    expect(Buffer.from(statement).toString()).to.equal(STATEMENT);
    const signer = createSigner(Buffer.alloc(32, 7));
    expect(keyIdOf(signer.publicKey)).to.equal('fe812c12f3ab4ce6');
    expect(encodeBase64Url(signer.sign(statement))).to.equal(
      'PvG5PjNgoDdx6RTfnaR3Yd89X0F-tF3Qk_caSh3L3GY8DAg1_-p96OOIsVUy_wX12mvm57sTxrUYkHUYe4_8BA',
    );
    expect(verifyEd25519(signer.publicKey, statement, signer.sign(statement))).to.equal(true);
  });

  it('matches the form in docs/reference/federation.md for any fact', () => {
    const text = fc.string({ unit: 'grapheme' });
    const value = fc.oneof(
      fc.record({ type: fc.constantFrom('string' as const, 'text' as const), v: text }),
      fc.record({ type: fc.constant('number' as const), v: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
      fc.record({ type: fc.constant('boolean' as const), v: fc.boolean() }),
      fc.constant({ type: 'null' as const, v: null }),
    );
    const salt = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(
        fc.record({
          value,
          interpretAs: fc.constantFrom('content' as const, 'instruction' as const),
          entity: text,
          source: text,
          validFrom: fc.option(text),
          validUntil: fc.option(text),
          confidence: fc.double({ min: 0, max: 1, noNaN: true }),
          derivedFrom: fc.array(text),
          replaces: fc.array(text),
          salt,
          refsSalt: salt,
        }),
        ({ value: said, interpretAs, salt: one, refsSalt: other, ...members }) => {
          const fact = { ...FACT, ...members, value: { ...said, interpretAs } };
          const { replaces, ...others } = fact;
          const wire = {
            ...others,
            ...(replaces.length > 0 && { replaces }),
            value: { ...said, interpret_as: interpretAs },
            hlc: fact.hlcText,
            ...(fact.validFrom !== null && { valid_from: fact.validFrom }),
            valid_until: fact.validUntil,
            derived_from: fact.derivedFrom,
          } as unknown as WireFact;
          const statement = originStatement(fact, commitmentsOf(fact, { salt: one, refsSalt: other }), ORIGIN);
          expect(Buffer.from(statement).toString()).to.equal(statedAnew(wire, ORIGIN, one, other));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('accepts only salts of 16 bytes', () => {
    expect(readSalt(encodeBase64Url(SALT))).to.deep.equal(SALT);
    for (const bad of [
      '',
      'AAAA',
      encodeBase64Url(Buffer.alloc(15)),
      encodeBase64Url(Buffer.alloc(17)),
      '!'.repeat(22),
    ]) {
      expect(readSalt(bad), bad).to.equal(null);
    }
  });
});
