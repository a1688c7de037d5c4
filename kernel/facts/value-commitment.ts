import type { FactValue } from '../../ports/fact.ts';
import { canonicalScalar } from '../crypto/canonical-scalar.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';

/**
 * 32 bytes that stand for a value and do not show it: SHA-256 over the salt, followed by the RFC 8785 form of the whole
 * value. Without the salt a reader cannot guess the value by trying, even if there are few candidates.
 */
export const valueCommitment = (salt: Uint8Array, { interpretAs, type, v }: FactValue): Uint8Array => {
  const text = `{"interpret_as":"${interpretAs}","type":"${type}","v":${canonicalScalar(v)}}`;
  const room = salt.length + text.length * MAX_UTF8_BYTES;
  const bytes = room <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(room);
  bytes.set(salt);
  const end = salt.length + bytes.write(text, salt.length);
  // Through hex, because Node makes a short text faster than a buffer of its own.
  return Buffer.from(sha256Hex(bytes.subarray(0, end)), 'hex');
};

/** Of one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/** Most values fit, so that they need no allocation. */
const SCRATCH = Buffer.alloc(8 * 1024);
