import { type Cipher, createCipheriv } from 'node:crypto';

/** The number of bytes of the key of one file. */
export const FILE_KEY_BYTES = 32;

const BLOCK_BYTES = 16;

/**
 * Hides the bytes of a file that is written and read from the front to the end. Every place of the file has its own
 * part of the key stream, so no two writes may put different bytes into one place. The same call hides and shows. The
 * digests of the frames, which are hidden too, detect damage; against forgery the folder of the node protects.
 */
export const fileCipher = (key: Uint8Array, from = 0): Pick<Cipher, 'update'> => {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(from / BLOCK_BYTES)), BLOCK_BYTES - 8);
  const cipher = createCipheriv('aes-256-ctr', key, counter);
  cipher.update(new Uint8Array(from % BLOCK_BYTES));
  return cipher;
};
