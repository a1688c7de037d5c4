import { expect } from 'chai';
import { readSources } from './source-files.ts';

/** Names of features. The kernel and the ports contain none of them, because plugins bring their own words. */
const FEATURE_WORDS =
  /quarantin|sanitiz|tombstone|manifest|billing|subscription|capabilit|federat|\brecall|\bcards?\b|conflict|instruct|\bgraph\b|\baudit|decay|source.?trust|\btrust score/gi;

/** Allowed words by file, with the reason for each. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // `interpret_as: instruction` is a value of the fact itself.
  'kernel/facts/content-id.ts': ['instruct'],
  'kernel/facts/fact-schema.ts': ['instruct'],
  'kernel/facts/fact-value.ts': ['instruct'],
  'ports/fact.ts': ['instruct'],
  // Existing feeds store the name of this kind.
  'kernel/facts/suppressed-facts.ts': ['tombstone'],
  // `conflict` is the code of status 409 for every kind of clash.
  'kernel/files/file-taken.ts': ['conflict'],
  'kernel/identity/node-record.ts': ['conflict'],
  'kernel/leases/leases-api.ts': ['conflict'],
  'kernel/leases/lease-keeper.ts': ['conflict'],
  'kernel/store/sealed-json.ts': ['conflict'],
  'ports/object-store.ts': ['conflict'],
  'ports/service-error.ts': ['conflict'],
  'ports/store-copy.ts': ['conflict'],
  // The purpose of a read.
  'kernel/facts/reader-api.ts': ['recall'],
};

describe('words of features', () => {
  it('occur in no file of the kernel or the ports, except in listed files', async () => {
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
