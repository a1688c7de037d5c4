import { expect } from 'chai';
import { readSources } from './source-files.ts';

/** Words that name a feature. The kernel and the ports know none of them: plugins bring their own words. */
const FEATURE_WORDS =
  /quarantin|sanitiz|tombstone|manifest|billing|subscription|capabilit|federat|\brecall|\bcards?\b|conflict|instruct|\bgraph\b|\baudit|decay|source.?trust|\btrust score/gi;

/** Allowed words by file, with the reason. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // `interpret_as: instruction` is a value of the fact itself.
  'kernel/facts/content-id.ts': ['instruct'],
  'kernel/facts/fact-schema.ts': ['instruct'],
  'kernel/facts/fact-value.ts': ['instruct'],
  'ports/fact.ts': ['instruct'],
  // Feeds of stores hold the name of this kind.
  'kernel/facts/suppressed-facts.ts': ['tombstone'],
  // `conflict` is the code of status 409 for everything that is in the way.
  'kernel/identity/node-record.ts': ['conflict'],
  'kernel/leases/leases-api.ts': ['conflict'],
  'kernel/leases/lease-keeper.ts': ['conflict'],
  'ports/service-error.ts': ['conflict'],
  // Why a read is made.
  'kernel/facts/reader-api.ts': ['recall'],
};

describe('words of features', () => {
  it('are in no file of the kernel or the ports, a few exceptions aside', async () => {
    const found: Record<string, string[]> = {};
    for (const { path, text } of await readSources()) {
      if (!path.startsWith('kernel/') && !path.startsWith('ports/')) continue;
      const words = [...new Set([...text.matchAll(FEATURE_WORDS)].map(([word]) => word.toLowerCase()))].sort();
      if (words.length > 0) found[path] = words;
    }
    // An exception that is no longer needed fails as well.
    expect(found).to.deep.equal(EXCEPTIONS);
  });
});
