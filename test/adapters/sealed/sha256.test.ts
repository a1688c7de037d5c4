import { createHash, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { hmacSha256, sha256 } from '../../../adapters/sealed/sha256.ts';

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) % 256));

describe('The digests of the seal', () => {
  it('are SHA-256 of bytes and of texts', () => {
    for (const data of ['', 'é😀', bytes(0), bytes(55), bytes(64), bytes(5_000)]) {
      expect(sha256(data)).to.deep.equal(createHash('sha256').update(data).digest());
    }
  });

  it('are HMAC-SHA-256 of one message or of its parts, however long', () => {
    const keys = [bytes(0), bytes(32), bytes(64)];
    const messages = [[], ['é😀'], [bytes(1_024)], [bytes(1_025)], [bytes(3), 'é', bytes(900), '😀'.repeat(40)]];
    for (const key of keys) {
      for (const parts of messages) {
        const expected = createHmac('sha256', key);
        for (const part of parts) expected.update(part);
        expect(hmacSha256(key, ...parts)).to.deep.equal(expected.digest());
      }
    }
  });
});
