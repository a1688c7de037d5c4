import { expect } from 'chai';
import fc from 'fast-check';
import {
  isSystemName,
  MANIFEST_RELATION,
  MAX_PLAIN_KEY_LENGTH,
  matchKey,
  reservedNameOf,
} from '../../../kernel/facts/match-key.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { RUNS } from '../../kit/property-runs.ts';

const names = createServiceNames('svc');
const other = createServiceNames('kb');
const keyOf = (text: string): string => matchKey(text, names);

const part = fc.stringMatching(/^[a-zA-Z0-9 .:_-]{0,8}$/);
const uri = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.constantFrom('svc://', 'SVC://', 'kb://', 'user:', ''), fc.array(part, { maxLength: 5 }))
    .map(([scheme, parts]) => scheme + parts.join('/')),
);

describe('match keys', () => {
  it('leave lower-case names without blanks as they are', () => {
    for (const text of [
      'user:alice',
      'svc://alpha.example/user/noor',
      'a',
      '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
      '~!{}',
    ]) {
      expect(keyOf(text)).to.equal(text);
    }
  });

  it('lower-case opaque names and turn each white-space character into a dash', () => {
    expect(keyOf('User:New York')).to.equal('user:new-york');
    expect(keyOf('a  b\tc\u00a0d\u3000e')).to.equal('a--b-c-d-e');
    expect(keyOf('ÄRGER Ω')).to.equal('ärger-ω');
  });

  it("lower-case all parts under the service's scheme, but turn white space into dashes in the id alone", () => {
    expect(keyOf('SVC://Alpha.Example/User/Noor B')).to.equal('svc://alpha.example/user/noor-b');
    expect(keyOf('svc://al pha/us er/no or/x y')).to.equal('svc://al pha/us er/no-or/x-y');
    expect(keyOf('svc://h x/t/ a')).to.equal('svc://h x/t/-a');
    expect(keyOf('svc://a b/c/d')).to.equal('svc://a b/c/d');
  });

  it('treat a name under the scheme that lacks a part like any other', () => {
    expect(keyOf('svc://al pha/user')).to.equal('svc://al-pha/user');
    expect(keyOf('svc://al pha/user/')).to.equal('svc://al-pha/user/');
    expect(keyOf('svc:///us er/x')).to.equal('svc:///us-er/x');
    expect(keyOf('svc://h x//x y')).to.equal('svc://h-x//x-y');
    expect(keyOf('svc://h x/t/')).to.equal('svc://h-x/t/');
    expect(keyOf('svc://h x')).to.equal('svc://h-x');
  });

  it('follow the name of the service', () => {
    expect(matchKey('kb://al pha/us er/no or', other)).to.equal('kb://al pha/us er/no-or');
    expect(matchKey('svc://al pha/us er/no or', other)).to.equal('svc://al-pha/us-er/no-or');
  });

  it('are bounded, and tell long names apart that differ anywhere', () => {
    const long = (last: string) => `user:${'\u{1F600}x'.repeat(680)}${last}`;
    expect(keyOf(long('a'))).to.have.lengthOf.at.most(MAX_PLAIN_KEY_LENGTH + 3);
    expect(keyOf(long('a')).isWellFormed()).to.equal(true);
    expect(keyOf(long('a'))).to.equal(keyOf(long('A')));
    expect(keyOf(long('a'))).not.to.equal(keyOf(long('b')));
    expect(keyOf(keyOf(long('a')))).not.to.equal(keyOf(long('a')));
    const plain = 'y'.repeat(MAX_PLAIN_KEY_LENGTH);
    expect(keyOf(plain)).to.equal(plain);
    expect(isSystemName(keyOf(`svc:${'z'.repeat(900)}`), 'memory:x', names)).to.equal(true);
  });

  it('do not count surrounding white space', () => {
    expect(keyOf(' user:alice\n')).to.equal('user:alice');
  });

  it('are their own keys', () => {
    fc.assert(
      fc.property(uri, (text) => keyOf(keyOf(text)) === keyOf(text)),
      { numRuns: RUNS },
    );
  });

  it('do not depend on the case of ASCII letters', () => {
    const ascii = fc.stringMatching(/^[ -~]{0,30}$/);
    fc.assert(
      fc.property(ascii, (text) => keyOf(text.toUpperCase()) === keyOf(text.toLowerCase())),
      { numRuns: RUNS },
    );
  });

  it('hold no capital and, outside the scheme, no white space', () => {
    const clean = fc.property(uri, (text) => {
      const key = keyOf(text);
      expect(key).to.equal(key.toLowerCase());
      if (!key.startsWith('svc://')) expect(key).not.to.match(/\s/);
    });
    fc.assert(clean, { numRuns: RUNS });
  });
});

describe('system facts', () => {
  const isSystem = (entity: string, relation: string): boolean => isSystemName(keyOf(entity), keyOf(relation), names);

  it('carry the reserved prefix in entity or relation, in any case', () => {
    expect(isSystem('svc:fact:1', 'memory:role')).to.equal(true);
    expect(isSystem('user:alice', 'svc:ttl')).to.equal(true);
    expect(isSystem('SVC:Conflict:1', 'memory:role')).to.equal(true);
    expect(isSystem('svc:node:1', 'memory:role')).to.equal(true);
  });

  it('are not those that merely speak of an entity under the scheme', () => {
    expect(isSystem('svc://h/user/alice', 'memory:role')).to.equal(false);
    expect(isSystem('user:alice', 'svc://h/relation/knows')).to.equal(false);
    expect(isSystem('svcx:1', 'svc')).to.equal(false);
  });

  it('include manifests', () => {
    expect(isSystem('instruction:default/agent/a/manifest/1', MANIFEST_RELATION)).to.equal(true);
    expect(isSystem('instruction:manifest', 'memory:role')).to.equal(false);
  });
});

describe('reserved names', () => {
  const reserved = (entity: string, relation: string, source: string, as = names): string | null =>
    reservedNameOf(
      { entityKey: matchKey(entity, as), relationKey: matchKey(relation, as), sourceKey: matchKey(source, as) },
      as,
    );

  const refused: readonly (readonly [entity: string, relation: string, source: string])[] = [
    ['user:alice', 'svc:conflict:status', 'agent:w'],
    ['user:alice', 'svc:received_from', 'agent:w'],
    ['user:alice', 'svc:memory:card', 'agent:w'],
    ['user:alice', 'SVC:Memory:Card', 'agent:w'],
    ['user:alice', 'svc:', 'agent:w'],
    ['user:alice', 'svc:ttl:x', 'agent:w'],
    ['user:alice', 'svc://h/relation/x', 'agent:w'],
    ['svc:conflict:x', 'memory:role', 'agent:w'],
    ['SVC:CONFLICT:x', 'memory:role', 'agent:w'],
    ['svc:resolution:x', 'memory:role', 'agent:w'],
    ['svc:fact:1', 'memory:role', 'agent:w'],
    ['svc:conflict:x', 'svc:ttl', 'agent:w'],
    ['svc:resolution:x', 'svc:ttl', 'agent:w'],
    ['user:alice', 'instruction:manifest', 'agent:w'],
    ['user:alice', 'Instruction:Manifest', 'agent:w'],
    ['user:alice', 'memory:role', 'system:svc'],
    ['user:alice', 'memory:role', ' System:other'],
    ['svc:fact:1', 'svc:ttl', 'system:svc'],
  ];
  for (const names of refused) {
    it(`are refused: ${JSON.stringify(names)}`, () => {
      expect(reserved(...names))
        .to.be.a('string')
        .and.not.equal('');
    });
  }

  const allowed: readonly (readonly [entity: string, relation: string, source: string])[] = [
    ['user:alice', 'memory:role', 'agent:w'],
    ['user:alice', 'role', 'system'],
    ['svc://h/user/alice', 'memory:role', 'svc://h/agent/w'],
    ['svc://h/user/alice', 'svc:ttl', 'agent:w'],
    ['5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'svc:ttl', 'agent:w'],
    ['svc:fact:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'svc:ttl', 'agent:w'],
    ['svc:fact:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'SVC:TTL', 'agent:w'],
    ['instruction:manifest', 'instruction:unit', 'agent:w'],
  ];
  for (const names of allowed) {
    it(`are not: ${JSON.stringify(names)}`, () => {
      expect(reserved(...names)).to.equal(null);
    });
  }

  it('follow the name of the service', () => {
    expect(reserved('user:alice', 'svc:memory:card', 'agent:w', other)).to.equal(null);
    expect(reserved('user:alice', 'kb:memory:card', 'agent:w', other)).to.contain('kb:ttl');
  });
});
