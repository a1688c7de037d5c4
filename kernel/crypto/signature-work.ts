import { defineRef } from '../../ports/define-ref.ts';
import { type Signer, verifyEd25519, verifyEd25519Apart } from './ed25519-signing.ts';

export interface SignatureCheck {
  /** The raw Ed25519 key of 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** Verifies and signs many signatures at once, which on the event loop would take longer than a request may. */
export interface SignatureWork {
  /** Returns the validity of each, in order. It is as strict as `verifyEd25519`. Never rejects. */
  verifyAll(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /** Returns a signature of 64 bytes for each text, in order. */
  signAll(signer: Signer, texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

export const SignatureWork = defineRef<SignatureWork>('kernel.signature-work');

/** Uses the threads of the runtime instead of the event loop. */
export const createSignatureWork = (): SignatureWork => ({
  verifyAll: (checks) =>
    Promise.all(checks.map(({ publicKey, bytes, signature }) => verifyEd25519Apart(publicKey, bytes, signature))),
  signAll: (signer, texts) => Promise.all(texts.map((text) => signer.signApart(text))),
});

/** Works on the event loop, for a simulation that needs the same order of steps each time. */
export const createInlineSignatureWork = (): SignatureWork => ({
  verifyAll: async (checks) =>
    checks.map(({ publicKey, bytes, signature }) => verifyEd25519(publicKey, bytes, signature)),
  signAll: async (signer, texts) => texts.map((text) => signer.sign(text)),
});
