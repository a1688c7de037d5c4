import * as noble from '@noble/ed25519';
import { expect } from 'chai';
import fc from 'fast-check';
import { createSigner, verifyEd25519 } from '../../../kernel/crypto/ed25519-signing.ts';
import { RUNS } from '../../kit/property-runs.ts';

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const littleEndian = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(at * 8)) & 0xffn));
const numberOf = (bytes: Uint8Array): bigint => bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);

/** RFC 8032, section 7.1, tests 1 to 3. */
const VECTORS: readonly (readonly [seed: string, publicKey: string, message: string, signature: string])[] = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
];

/** Every encoding of a point of low order, the non-canonical ones too. */
const LOW_ORDER_KEYS: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
].map(bytesOf);

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const message = fc.uint8Array({ maxLength: 64 });

describe('Ed25519', () => {
  for (const [seedHex, publicKeyHex, messageHex, signatureHex] of VECTORS) {
    it(`signs and verifies the published vector over ${messageHex === '' ? 'nothing' : messageHex}`, () => {
      const signer = createSigner(bytesOf(seedHex));
      expect(hexOf(signer.publicKey)).to.equal(publicKeyHex);
      expect(hexOf(signer.sign(bytesOf(messageHex)))).to.equal(signatureHex);
      expect(verifyEd25519(signer.publicKey, bytesOf(messageHex), bytesOf(signatureHex))).to.equal(true);
    });
  }

  it('interoperates with an independent implementation in both directions', async () => {
    const agrees = fc.asyncProperty(seed, message, async (secret, bytes) => {
      const signer = createSigner(secret);
      expect(hexOf(signer.publicKey)).to.equal(hexOf(await noble.getPublicKeyAsync(secret)));
      const theirs = await noble.signAsync(bytes, secret);
      expect(hexOf(signer.sign(bytes))).to.equal(hexOf(theirs));
      expect(verifyEd25519(signer.publicKey, bytes, theirs)).to.equal(true);
      expect(await noble.verifyAsync(signer.sign(bytes), bytes, signer.publicKey, { zip215: false })).to.equal(true);
    });
    // Fewer runs, because each one takes milliseconds in plain JavaScript.
    await fc.assert(agrees, { numRuns: Math.ceil(RUNS / 10) });
  });

  it('refuses a signature, message or key with any bit flipped', () => {
    const refused = fc.property(seed, message, fc.nat(), (secret, bytes, bit) => {
      const signer = createSigner(secret);
      const parts = [signer.publicKey, bytes, signer.sign(bytes)].map((part) => Uint8Array.from(part));
      const whole = parts.flatMap((part) => [...part]);
      const at = Math.floor(bit / 8) % whole.length;
      let skipped = 0;
      for (const part of parts) {
        const index = at - skipped;
        if (index >= 0 && index < part.length) part[index] = (part[index] as number) ^ (1 << (bit % 8));
        skipped += part.length;
      }
      expect(verifyEd25519(...(parts as [Uint8Array, Uint8Array, Uint8Array]))).to.equal(false);
    });
    fc.assert(refused, { numRuns: RUNS });
  });

  it('refuses a signature whose S is not reduced', () => {
    const signer = createSigner(new Uint8Array(32).fill(7));
    const bytes = Uint8Array.of(1, 2, 3);
    const signature = signer.sign(bytes);
    const s = numberOf(signature.subarray(32));
    for (const unreduced of [s + GROUP_ORDER, GROUP_ORDER, 2n ** 256n - 1n]) {
      const second = Uint8Array.from([...signature.subarray(0, 32), ...littleEndian(unreduced)]);
      expect(verifyEd25519(signer.publicKey, bytes, second)).to.equal(false);
    }
    expect(verifyEd25519(signer.publicKey, bytes, signature)).to.equal(true);
  });

  it('refuses every key of low order, under which one signature fits any message', () => {
    const identity = littleEndian(1n);
    for (const key of LOW_ORDER_KEYS) {
      for (const r of [identity, key]) {
        const signature = Uint8Array.from([...r, ...new Uint8Array(32)]);
        for (let byte = 0; byte < 16; byte += 1) {
          expect(verifyEd25519(key, Uint8Array.of(byte), signature), hexOf(key)).to.equal(false);
        }
      }
    }
  });

  it('refuses keys and signatures of another length', () => {
    const signer = createSigner(new Uint8Array(32));
    const bytes = Uint8Array.of(1);
    const signature = signer.sign(bytes);
    for (const key of [new Uint8Array(0), signer.publicKey.subarray(1), Uint8Array.from([...signer.publicKey, 0])]) {
      expect(verifyEd25519(key, bytes, signature)).to.equal(false);
    }
    for (const other of [new Uint8Array(0), signature.subarray(1), Uint8Array.from([...signature, 0])]) {
      expect(verifyEd25519(signer.publicKey, bytes, other)).to.equal(false);
    }
  });

  it('returns false, and never throws, for any bytes as key and signature', () => {
    const any = fc.property(seed, message, fc.uint8Array({ minLength: 64, maxLength: 64 }), (key, bytes, signature) => {
      return verifyEd25519(key, bytes, signature) === false;
    });
    fc.assert(any, { numRuns: RUNS });
  });

  it('refuses a seed of another length', () => {
    for (const length of [0, 31, 33, 64]) expect(() => createSigner(new Uint8Array(length))).to.throw(RangeError);
  });

  it('verifies correctly after more keys than it caches', () => {
    const bytes = Uint8Array.of(1);
    const first = createSigner(new Uint8Array(32).fill(255));
    const signature = first.sign(bytes);
    expect(verifyEd25519(first.publicKey, bytes, signature)).to.equal(true);
    for (let n = 0; n < 1100; n += 1) {
      expect(verifyEd25519(littleEndian(BigInt(n + 2)), bytes, signature)).to.equal(false);
    }
    expect(verifyEd25519(first.publicKey, bytes, signature)).to.equal(true);
    expect(verifyEd25519(createSigner(new Uint8Array(32)).publicKey, bytes, signature)).to.equal(false);
  });
});
