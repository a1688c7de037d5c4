import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { foldName } from '../../../kernel/text/fold-name.ts';
import { UNICODE_VERSION } from '../../../kernel/text/unicode-table.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** Applies the rule of docs/reference/names.md with the Unicode tables of the runtime. */
const byRuntime = (text: string): string => text.trim().normalize('NFC').toLowerCase().normalize('NFC');

/** Runtimes of other versions agree on Latin, Greek and Cyrillic letters, accents and Hangul. */
const isCompared = (code: number): boolean =>
  process.versions.unicode === UNICODE_VERSION || code < 0x350 || (code >= 0x386 && code < 0x482) || isHangul(code);
const isHangul = (code: number): boolean => (code >= 0x1100 && code < 0x1200) || (code >= 0xac00 && code < 0xd7a4);

const ALL = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
/** Texts of a few hundred characters that together contain all of Unicode. */
const BLOCKS = Array.from({ length: ALL.length / 512 }, (_, at) => ALL.slice(at * 512, (at + 1) * 512));
const COMPARED = ALL.filter((one) => isCompared(one.codePointAt(0) ?? 0));
const COMPARED_ONES = new Set(COMPARED);
/** The characters that folding changes or that change with their neighbours. */
const LIVELY = COMPARED.filter(
  (one) => /\p{Lu}|\p{Lt}|\p{M}|\p{Case_Ignorable}/u.test(one) || one.normalize('NFD') !== one,
);
const lively = fc.oneof(
  fc.integer({ min: 0, max: LIVELY.length - 1 }).map((at) => LIVELY[at] ?? ''),
  fc.constantFrom('a', 'Σ', 'ς', 'İ', 'ﬀ', '가', '각', 'ᄀ', 'ᅡ', 'ᆨ', ' ', '-', '\u0345', '\u0301', '\u0327'),
);
const name = fc.array(lively, { maxLength: 12 }).map((parts) => parts.join(''));
const any = fc.string({ unit: 'binary' });

const holds = (property: fc.IProperty<[string]>): void => fc.assert(property, { numRuns: RUNS });

describe('folding a name', () => {
  it('gives composed and decomposed spellings in any case one form', () => {
    for (const spelling of ['José', 'Jose\u0301', 'JOSÉ', ' JOSE\u0301\n']) expect(foldName(spelling)).to.equal('josé');
    for (const spelling of ['\u212bngstro\u0308m', 'Ångström', 'ÅNGSTRÖM'])
      expect(foldName(spelling)).to.equal('ångström');
    expect(foldName('김철수'.normalize('NFD'))).to.equal('김철수');
    expect(foldName('Việt Nam'.normalize('NFD'))).to.equal('việt nam');
    expect(foldName('ΟΔΟΣ ΣΟΦΟΣ')).to.equal('οδος σοφος');
    expect(foldName('İstanbul')).to.equal('i\u0307stanbul');
    expect(foldName('a\u0301\u0323')).to.equal(foldName('a\u0323\u0301'));
  });

  it('folds each character of Unicode like the runtime, alone and among letters', () => {
    const others = LIVELY.filter((one) =>
      [`A${one}Σ`, `${one}\u0323\u0301`].some((text) => foldName(text) !== byRuntime(text)),
    );
    expect(others).to.deep.equal([]);
    const inert = BLOCKS.map((block) => block.filter((one) => COMPARED_ONES.has(one)).join(''));
    expect(inert.filter((text) => foldName(text) !== byRuntime(text))).to.deep.equal([]);
  });

  it('folds any text like the runtime', () => {
    holds(fc.property(name, (text) => foldName(text) === byRuntime(text)));
  });

  it('gives the same result on every runtime', () => {
    const digest = createHash('sha256');
    for (const block of BLOCKS) digest.update(foldName(block.join('\u0301')));
    expect(digest.digest('hex')).to.equal('f0d07eba3e3b46b47d40c9c9c2155e11583939f6587972008e2d9e279c04083e');
  });

  it('leaves characters unchanged that the pinned version of Unicode does not know', () => {
    for (const one of ['\u0378', '\u{1e7ff}', '\u{e0fff}']) expect(foldName(`x${one}`)).to.equal(`x${one}`);
  });

  it('is idempotent', () => {
    const idempotent = (text: string): boolean => foldName(foldName(text)) === foldName(text);
    holds(fc.property(name, idempotent));
    holds(fc.property(any, idempotent));
  });

  it('gives NFC and NFD the same form, with or without white space at the ends', () => {
    const agrees = (text: string): boolean =>
      [text.normalize('NFC'), text.normalize('NFD'), `\u3000${text}\u00a0\n`].every(
        (spelling) => foldName(spelling) === foldName(text),
      );
    holds(fc.property(name, agrees));
  });
});
