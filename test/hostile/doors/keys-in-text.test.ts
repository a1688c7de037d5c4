import { expect } from 'chai';
import fc from 'fast-check';
import { errorReport } from '../../../adapters/cli/report-error.ts';
import { createPinoLogger } from '../../../adapters/log/pino-logger.ts';
import { maskKeys, maskSecrets } from '../../../ports/mask-keys.ts';
import { ServiceError } from '../../../ports/ports.ts';

/** Keys and tokens in the forms that nodes and other services generate. */
const KEYS: Readonly<Record<string, string>> = {
  hexadecimal: '3f9a'.repeat(16),
  base64url: 'mUxk3_Vq-Zt8JrN0yKfP2cLwE5aHd7oBgXi4sQ1vT9e',
  base64: 'q7Xm/2LkP+v9sTzR4wYbN/eJ0uHcGf3aVoK8iDxQ5Wg=',
  'base64 of many slashes': `${'aB3/+9Zq'.repeat(5)}xY7=`,
  'base64 in a URL': 'q7Xm%2F2LkP%2Bv9sTzR4wYbN%2FeJ0uHcGf3aVoK8iDxQ5Wg%3D',
  'base64 of 64 bytes': 'b1/Rk9Wm+Xz2Lq7Tj0Vc8NyPsD4uGhE6fAoI3vKJ5tBrQMwYx1C/lZg9Uia8SnHpe0F+2dO7kVTbRj4XqmLw3A==',
  'a signed token': 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZ2VudDphIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
  'an unsigned token': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZ2VudDphIn0.',
  'an encrypted token': 'eyJhbGciOiJkaXIifQ..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9o',
  'a token of three drawn parts': 'mfrgg2zdfmztwq2l.nb2w45dfoiza4ylu.pfxxk4dbnq3gk5dp',
  'a token behind its method': 'v4.public.q7Xm2LkPv9sTzR4wYbNeJ0uHcGf3aVoK8iDxQ5Wg',
  'a token with a short beginning': 'SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzr',
};

/** Sentences that the code writes around a text from a caller. */
const SENTENCES: Readonly<Record<string, (key: string) => string>> = {
  'plain text': (key) => `no entity ${key} is known`,
  'the end of a sentence': (key) => `cannot read "${key}".`,
  'the path of a URL': (key) => `GET https://node.example/v1/facts/${key} failed`,
  'a path': (key) => `GET /v1/facts/${key}/history failed`,
  'the query of a URL': (key) => `GET https://node.example/v1/facts?entity=${key}&limit=1 failed`,
  'a query': (key) => `GET /v1/facts?entity=${key}&limit=1 failed`,
  'a header': (key) => `the header Authorization: Bearer ${key}, was refused`,
  JSON: (key) => `the body {"id":"${key}"} was refused`,
};

/** Text without a key, which must stay readable for operators. */
const KEPT: readonly string[] = [
  'the fact 01928374-5566-7788-99aa-bbccddeeff00 is gone',
  'fact-01928374-5566-7788-99aa-bbccddeeff00.json',
  `content sha256:${'0a'.repeat(32)}`,
  `GET /v1/scopes/company/facts/by-content/sha256:${'0a'.repeat(32)}/history`,
  `/v1/facts/sha256%3A${'0a'.repeat(32)}`,
  `integrity sha512-${'aB3/+9Zq'.repeat(10)}xY7z9A==`,
  `SHA256:${'aB3/+9Zq'.repeat(5)}xYz`,
  `nginx@sha256:${'0a'.repeat(32)}`,
  'ip-10-123-45-67.eu-central-1.compute.internal',
  'billing-service-7d9f8b6c5d-x2k4q.production.svc.cluster.local:8443',
  'https://a-long-name-of-a-host-0123.example.com/v1/facts',
  '/data/backups/backup-20261123T021500123Z-1a2b3c4d/store.db',
  '/Users/Alice/Projects2/FactMemory/src/Components/UserProfile/AvatarImage2.tsx:10:22',
  'at ConvertUtf8.toBase64Bytes (/srv/app/node_modules/@scope/package/dist/esm/index.d.mts:10:3)',
  'file:///opt/app/dist/test/plugins/0048-api-keys-digests-only-refusals-delayed.test.js:4:1',
  'com.example.billing.InvoiceServiceV2ImplTest',
  'v20.12.0-nightly20230815.linux-x64-glibc217',
  '1.0.0-beta.11+build.20261126.exp.sha.5114f85',
  '2026-11-26T23:30:31.123Z',
  'PostgreSQL 16.4 (Debian 16.4-1.pgdg120+2) on x86_64-pc-linux-gnu',
];

const logLines = (key: string, sentence: string): string => {
  const lines: string[] = [];
  const log = createPinoLogger({ level: 'info', write: (line) => void lines.push(line) });
  const error = new Error(sentence, { cause: Object.assign(new Error(sentence), { hint: sentence }) });
  const other = { toJSON: () => ({ deep: sentence }) };
  log.child({ part: key }).warn(sentence, { text: sentence, inner: { list: [key], [key]: 1 }, error, other });
  log.info('a failure inside a field', { cause: error, failures: [error], [key]: 1 });
  return lines.join('');
};

describe('Text about a request that holds a key by mistake (I19)', () => {
  for (const [form, key] of Object.entries(KEYS)) {
    it(`is logged and printed without ${form}`, () => {
      for (const [place, write] of Object.entries(SENTENCES)) {
        const sentence = write(key);
        const printed = errorReport(new ServiceError('validation', sentence)) + errorReport(new Error(sentence));
        for (const text of [maskSecrets(sentence), printed, logLines(key, sentence)]) {
          expect(text, place).to.include('***').and.not.include(key);
          // Half of a key must not appear either.
          expect(text, place).not.to.include(key.slice(-20));
        }
      }
    });
  }

  it('keeps ids, digests, hosts, paths and versions unmasked', () => {
    for (const text of KEPT) {
      expect(maskKeys(text)).to.equal(text);
      expect(logLines('a', text).split(JSON.stringify(text)).length, text).to.be.above(1);
    }
  });

  it('contains at most two of a thousand random 32-byte keys unmasked, and only keys with a slash', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const drawn = fc.sample(bytes, { numRuns: 1_000, seed: 29 }).filter((one) => new Set(one).size > 24);
    expect(drawn.length).to.be.above(900);
    const leaks = drawn.flatMap((one) =>
      (['hex', 'base64', 'base64url'] as const)
        .map((form) => Buffer.from(one).toString(form))
        .filter((key) => Object.values(SENTENCES).some((write) => maskSecrets(write(key)).includes(key))),
    );
    expect(leaks.filter((key) => !key.includes('/'))).to.deep.equal([]);
    expect(leaks.length, leaks.join('\n')).to.be.at.most(2);
  });

  it('is masked in linear time', () => {
    for (const piece of ['a', 'aB3', 'eyJ.', 'a-', '/', 'aB3/', 'sha256:', '%2F', 'md5-0a', '_.']) {
      expect(maskKeys(piece.repeat(50_000)).length, piece).to.be.above(2);
    }
  });
});
