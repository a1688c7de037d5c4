import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  keysOfObject,
  openedBytes,
  openStream,
  sealedBytes,
  sealStream,
  startOfOpening,
} from '../../../adapters/sealed/seal-stream.ts';
import { bytesOf } from '../../contract/object-store-contract.ts';
import { rejection } from '../../kit/rejection.ts';

const CHUNK = 64 * 1024;
const MOST = 3 * CHUNK + 10;

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const content = fc
  .oneof(fc.integer({ min: 0, max: MOST }), fc.constantFrom(0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK))
  .map((length) => randomBytes(length));
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.constantFrom(7, CHUNK, CHUNK + 28)), {
  minLength: 1,
  maxLength: 4,
});
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('sealed streams', () => {
  const keys = keysOfObject(randomBytes(32), 'a/1');
  const sealed = (bytes: Uint8Array, sizes: readonly number[] = [bytes.length || 1]): Promise<Buffer> =>
    bytesOf(sealStream(cut(bytes, sizes), keys));

  it('give back any content from any byte on, however it is cut on the way', async () => {
    await fc.assert(
      fc.asyncProperty(content, cuts, cuts, fraction, async (bytes, there, back, part) => {
        const body = await sealed(bytes, there);
        expect(body.equals(await sealed(bytes, back))).to.equal(true);
        expect(sealedBytes(bytes.length)).to.equal(body.length);
        expect(openedBytes(body.length)).to.equal(bytes.length);
        const fromByte = Math.floor(part * bytes.length);
        const rest = cut(body.subarray(startOfOpening(fromByte).sealedByte), back);
        const opened = await bytesOf(openStream(rest, keys, { path: 'a/1', fromByte }));
        expect(opened.equals(bytes.subarray(fromByte))).to.equal(true);
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it('are refused after any single change', async () => {
    const change = fc.tuple(fc.constantFrom('flip', 'drop', 'add', 'cut'), fraction, fc.integer({ min: 0, max: 7 }));
    await fc.assert(
      fc.asyncProperty(content, cuts, change, async (bytes, back, [kind, part, bit]) => {
        const body = await sealed(bytes);
        const at = Math.floor(part * body.length);
        const after = body.subarray(at + 1);
        const changed = {
          flip: () => Buffer.concat([body.subarray(0, at), Buffer.from([(body[at] ?? 0) ^ (1 << bit)]), after]),
          drop: () => Buffer.concat([body.subarray(0, at), after]),
          add: () => Buffer.concat([body.subarray(0, at), Buffer.from([bit]), body.subarray(at)]),
          cut: () => body.subarray(0, at),
        }[kind as 'flip' | 'drop' | 'add' | 'cut']();
        const opened = bytesOf(openStream(cut(changed, back), keys, { path: 'a/1', fromByte: 0 }));
        // Adding the very byte that follows changes nothing.
        if (changed.equals(body)) return;
        expect(await rejection(opened)).to.include({ code: 'validation' });
      }),
      { numRuns: 100 },
    );
  }).timeout(60_000);

  it('never use a nonce for two contents', async () => {
    const nonces = new Map<string, string>();
    for (let turn = 0; turn < 50; turn += 1) {
      const bytes = Buffer.alloc(100, turn % 10);
      const body = await sealed(bytes);
      const nonce = body.subarray(8, 20).toString('hex');
      expect(nonces.get(nonce) ?? bytes.toString('hex')).to.equal(bytes.toString('hex'));
      nonces.set(nonce, bytes.toString('hex'));
    }
    expect(nonces.size).to.equal(10);
  });
});
