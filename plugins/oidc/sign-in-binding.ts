import { encodeBase64Url, isLoopbackHost } from '../../kernel/internal-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';

/** The purpose of a sign-in. The identity provider signs its digest as the nonce of the id token. */
export interface SignInBinding {
  /** The address that the user gave for the node. */
  readonly address: string;
  readonly permissions: readonly string[];
  /** Random text, which makes each nonce unique. */
  readonly salt: string;
}

/** Distinguishes these nonces from those of programs that sign people in themselves. */
const PREFIX = 'node-sign-in.';

/**
 * Returns the nonce of a sign-in. It names the address that the user gave and the requested permissions, so a node that
 * receives the id token cannot use it at another node.
 */
export const nonceOf = ({ address, permissions, salt }: SignInBinding): string => {
  const text = JSON.stringify([plainAddress(address), permissions.toSorted(), salt]);
  return `${PREFIX}${encodeBase64Url(Buffer.from(sha256Hex(text), 'hex'))}`;
};

export const isBindingNonce = (nonce: unknown): nonce is string =>
  typeof nonce === 'string' && nonce.startsWith(PREFIX);

/** Returns true for two spellings of one address. All loopback hosts are one host. */
export const isSameAddress = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && plainAddress(one) === plainAddress(other);

const plainAddress = (address: string): string => {
  const url = new URL(address);
  if (isLoopbackHost(url.hostname)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
};
