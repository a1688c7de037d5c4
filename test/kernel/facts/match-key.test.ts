import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_PLAIN_KEY_LENGTH, matchKey } from '../../../kernel/facts/match-key.ts';
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
  it('leave lower-case names without blanks unchanged', () => {
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

  it('treat a name under the scheme with a missing part like any other name', () => {
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

  it('are bounded in length, and differ for long names that differ anywhere', () => {
    const long = (last: string) => `user:${'\u{1F600}x'.repeat(680)}${last}`;
    expect(keyOf(long('a'))).to.have.lengthOf.at.most(MAX_PLAIN_KEY_LENGTH + 3);
    expect(keyOf(long('a')).isWellFormed()).to.equal(true);
    expect(keyOf(long('a'))).to.equal(keyOf(long('A')));
    expect(keyOf(long('a'))).not.to.equal(keyOf(long('b')));
    expect(keyOf(keyOf(long('a')))).not.to.equal(keyOf(long('a')));
    const plain = 'y'.repeat(MAX_PLAIN_KEY_LENGTH);
    expect(keyOf(plain)).to.equal(plain);
    expect(keyOf(`svc:${'z'.repeat(900)}`).startsWith('svc:')).to.equal(true);
  });

  it('ignore surrounding white space', () => {
    expect(keyOf(' user:alice\n')).to.equal('user:alice');
  });

  it('are unchanged when folded again', () => {
    fc.assert(
      fc.property(uri, (text) => keyOf(keyOf(text)) === keyOf(text)),
      { numRuns: RUNS },
    );
  });

  it('ignore the case of ASCII letters', () => {
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
