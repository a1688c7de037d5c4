import { expect } from 'chai';
import { listPages, pageText } from '../documents/read-pages.ts';
import { findProse, type ProseFinding } from './prose-findings.ts';
import { readScripts, readSources } from './source-files.ts';

/** Pages that `npm run docs` writes from texts that are already checked in the code. */
const GENERATED =
  /^(client\/api-types\.ts|docs\/reference\/(http|public-interface|command-line|settings|words|hooks|tables|metrics)\.md)$/;

/** Accepted findings, each with the reason why the sentence stays. */
const READS_WELL: readonly { readonly path: string; readonly sentence: string; readonly reason: string }[] = [
  { path: 'CONTRIBUTING.md', sentence: 'None but who reads all gardens is told.', reason: 'shows what to avoid' },
];

const isAccepted = ({ path, sentence }: ProseFinding): boolean =>
  READS_WELL.some((accepted) => accepted.path === path && sentence.startsWith(accepted.sentence));

describe('prose', () => {
  let findings: ProseFinding[];
  before(async () => {
    const pages = listPages().map((path) => ({ path, text: pageText(path) }));
    const files = [...(await readSources()), ...readScripts(), ...pages].filter(({ path }) => !GENERATED.test(path));
    findings = files.flatMap(({ path, text }) => findProse(path, text)).filter((finding) => !isAccepted(finding));
  });

  it('has no sentence that breaks a rule of plain English', () => {
    const shown = findings.map(({ path, line, reason, sentence }) => `${path}:${line}: ${reason}: ${sentence}`);
    expect(shown.join('\n')).to.equal('');
  });

  it('has at most forty accepted findings', () => {
    expect(READS_WELL.length).to.be.at.most(40);
  });

  it('finds a sentence that starts with a pronoun, a headless "what", an old word and a long sentence', () => {
    const comment = (words: string): string => `/**\n * ${words}\n */\n`;
    const hard = [
      'What is left goes.',
      'It returns what was asked.',
      'Whichever comes first.',
      `${'word '.repeat(33)}.`,
    ];
    for (const words of hard) expect(findProse('a.ts', comment(words)), words).to.not.deep.equal([]);
    const title = 'Nobody is asked here';
    expect(findProse('a.ts', `it('${title}', () => undefined);`)).to.have.length(1);
    expect(findProse('a.md', '- An item.\n- None of these items is fine.\n')).to.have.length(1);
    expect(findProse('a.md', '```\nWhat is code goes.\n```\nThe node returns the fact.\n')).to.deep.equal([]);
  });
});
