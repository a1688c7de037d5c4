import { expect } from 'chai';
import { createSigner } from '../../../kernel/crypto/ed25519-signing.ts';
import { createInlineSignatureWork, createSignatureWork } from '../../../kernel/crypto/signature-work.ts';

const SIGNER = createSigner(new Uint8Array(32).fill(7));
const textOf = (at: number): Uint8Array => Buffer.from(`text ${at}`);

for (const [name, create] of [
  ['beside the event loop', createSignatureWork],
  ['on the event loop', createInlineSignatureWork],
] as const) {
  describe(`signatures ${name}`, () => {
    const work = create();
    const texts = Array.from({ length: 40 }, (_, at) => textOf(at));

    it('are the same as those computed one by one, in order', async () => {
      expect(await work.signAll(SIGNER, texts)).to.deep.equal(texts.map((text) => SIGNER.sign(text)));
    });

    it('are verified one by one, in order', async () => {
      const checks = texts.map((bytes, at) => ({
        publicKey: SIGNER.publicKey,
        bytes,
        signature: SIGNER.sign(at % 3 === 0 ? textOf(at + 1) : bytes),
      }));
      expect(await work.verifyAll(checks)).to.deep.equal(texts.map((_, at) => at % 3 !== 0));
    });

    it('are invalid for an invalid key or signature', async () => {
      const [bytes] = texts as [Uint8Array];
      const signature = SIGNER.sign(bytes);
      const checks = [
        { publicKey: new Uint8Array(32), bytes, signature },
        { publicKey: new Uint8Array(31), bytes, signature },
        { publicKey: SIGNER.publicKey, bytes, signature: new Uint8Array(64).fill(255) },
        { publicKey: SIGNER.publicKey, bytes, signature: new Uint8Array() },
      ];
      expect(await work.verifyAll(checks)).to.deep.equal([false, false, false, false]);
    });
  });
}
