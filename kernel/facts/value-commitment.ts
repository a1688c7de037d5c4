import type { FactValue } from '../../ports/fact.ts';
import { canonicalScalar } from '../crypto/canonical-scalar.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';

/**
 * Returns 32 bytes that commit to a value without revealing it: SHA-256 over the salt and the RFC 8785 form of the
 * whole value. Without the salt, a reader cannot find the value by trying candidates.
 */
export const valueCommitment = (salt: Uint8Array, { interpretAs, type, v }: FactValue): Uint8Array => {
  const text = `{"interpret_as":"${interpretAs}","type":"${type}","v":${canonicalScalar(v)}}`;
  const room = salt.length + text.length * MAX_UTF8_BYTES;
  const bytes = room <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(room);
  bytes.set(salt);
  const end = salt.length + bytes.write(text, salt.length);
  // Converts through hex, because Node creates a short text faster than a buffer.
  return Buffer.from(sha256Hex(bytes.subarray(0, end)), 'hex');
};

/** The maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/** A shared buffer, which most values fit into, so that they need no allocation. */
const SCRATCH = Buffer.alloc(8 * 1024);
