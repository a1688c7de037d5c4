import { defineRef } from '../../ports/define-ref.ts';
import { type Signer, verifyEd25519, verifyEd25519Apart } from './ed25519-signing.ts';

export interface SignatureCheck {
  /** Raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** Many signatures at once. A page of them takes longer than a request may hold up the event loop. */
export interface SignatureWork {
  /** Whether each is good, in order; as strict as `verifyEd25519`. Never rejects. */
  verifyAll(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /** 64 bytes for each, in order. */
  signAll(signer: Signer, texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

export const SignatureWork = defineRef<SignatureWork>('kernel.signature-work');

/** In the threads of the runtime, beside the event loop. */
export const createSignatureWork = (): SignatureWork => ({
  verifyAll: (checks) =>
    Promise.all(checks.map(({ publicKey, bytes, signature }) => verifyEd25519Apart(publicKey, bytes, signature))),
  signAll: (signer, texts) => Promise.all(texts.map((text) => signer.signApart(text))),
});

/** On the event loop, in one go: for a program whose every step must come in the same order each time. */
export const createInlineSignatureWork = (): SignatureWork => ({
  verifyAll: async (checks) =>
    checks.map(({ publicKey, bytes, signature }) => verifyEd25519(publicKey, bytes, signature)),
  signAll: async (signer, texts) => texts.map((text) => signer.sign(text)),
});
