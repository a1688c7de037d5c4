import { defineRef } from '../../ports/define-ref.ts';
import { type Signer, verifyEd25519, verifyEd25519Apart } from './ed25519-signing.ts';

export interface SignatureCheck {
  /** Raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** Verifies and signs many signatures at once, which would block the event loop for longer than a request may. */
export interface SignatureWork {
  /** Returns for each in order whether it is valid; as strict as `verifyEd25519`. Never rejects. */
  verifyAll(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /** 64 bytes for each, in order. */
  signAll(signer: Signer, texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

export const SignatureWork = defineRef<SignatureWork>('kernel.signature-work');

/** Uses the threads of the runtime, beside the event loop. */
export const createSignatureWork = (): SignatureWork => ({
  verifyAll: (checks) =>
    Promise.all(checks.map(({ publicKey, bytes, signature }) => verifyEd25519Apart(publicKey, bytes, signature))),
  signAll: (signer, texts) => Promise.all(texts.map((text) => signer.signApart(text))),
});

/** Works on the event loop, for a simulation whose every step must come in the same order each time. */
export const createInlineSignatureWork = (): SignatureWork => ({
  verifyAll: async (checks) =>
    checks.map(({ publicKey, bytes, signature }) => verifyEd25519(publicKey, bytes, signature)),
  signAll: async (signer, texts) => texts.map((text) => signer.sign(text)),
});
