import { generateKeyPairSync, sign } from 'node:crypto';

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a well-formed token that is valid for an hour, signed by a key that no node knows. */
export const signEd25519 = async (claims: object): Promise<string> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const issuedMs = Date.UTC(2026, 2, 2, 9);
  const times = { iat: issuedMs, exp: issuedMs + 3_600_000 };
  const signed = `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${encode({ ...times, ...claims })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
};
