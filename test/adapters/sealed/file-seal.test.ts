import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { operatorKeyId } from '../../../adapters/sealed/data-keys.ts';
import { createFileSeal } from '../../../adapters/sealed/file-seal.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import { sourceOf } from './key-files.ts';

async function* inParts(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const gather = async (parts: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
};

describe('the seal of a single file', () => {
  const key = randomBytes(32);
  const fileSeal = createFileSeal(sourceOf(key));
  const sealed = (content: Uint8Array): Promise<Buffer> =>
    gather(fileSeal.seal?.(inParts(content, 1_000)) ?? inParts(content));
  const open = (bytes: Uint8Array, by = fileSeal): Promise<Buffer> => gather(by.open(inParts(bytes)));

  it('gives back any content, and never seals it to the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (content) => {
        const once = await sealed(content);
        expect([...(await open(once))]).to.deep.equal([...content]);
        expect(once.equals(await sealed(content))).to.equal(false);
      }),
      { numRuns: RUNS },
    );
    const long = randomBytes(200_000);
    expect((await open(await sealed(long))).equals(long)).to.equal(true);
  });

  it('refuses a file that was changed in any byte, cut at any byte, or lengthened', async () => {
    const whole = await sealed(Buffer.from('what somebody said'));
    const spoiled = [...whole.keys()].flatMap((at) => {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      return [changed, whole.subarray(0, at)];
    });
    for (const one of [...spoiled, Buffer.concat([whole, Buffer.from('x')])]) {
      const refused = await rejection(open(one));
      // A changed id of the key names a key that the node does not have.
      expect(['validation', 'conflict']).to.include((refused as { readonly code?: string }).code);
      expect(refused).to.have.property('hint').that.is.a('string');
    }
  });

  it('names the key that opens it when that is missing, and knows a file that is not sealed', async () => {
    const whole = await sealed(Buffer.from('what somebody said'));
    for (const other of [createFileSeal(undefined), createFileSeal(sourceOf(randomBytes(32)))]) {
      const refused = await rejection(open(whole, other));
      expect(refused).to.have.property('code', 'conflict');
      expect(refused).to.have.property('message').that.includes(operatorKeyId(key));
    }
    for (const other of ['', 'no newline', '{"type":"header"}\n', `${'x'.repeat(9_000)}\n`]) {
      const refused = await rejection(open(Buffer.from(other)));
      expect(refused).to.have.property('message', 'the file is not sealed');
      expect(refused).to.have.property('hint').that.includes('read it as it is').and.not.includes('cut or changed');
    }
  });

  it('opens with an earlier key of the operator', async () => {
    const whole = await sealed(Buffer.from('what somebody said'));
    const later = createFileSeal(sourceOf(randomBytes(32), key));
    expect(String(await open(whole, later))).to.equal('what somebody said');
  });

  it('is none without a key', () => {
    expect(createFileSeal(undefined).seal).to.equal(undefined);
  });
});
