import { type ErrorWord, ServiceError } from '../../../kernel/plugin-api.ts';
import { INVALID_SIGNATURE } from '../federation-words.ts';
import * as words from './token-words.ts';

/** The error texts for refused tokens, as other implementations of this protocol send them and clients print them. */
const DETAILS: Readonly<Record<string, string>> = {
  [words.PEER_TOKEN_REQUIRED.id]: 'peer token required',
  [words.MALFORMED_TOKEN.id]: 'malformed token',
  [words.PEER_NOT_REGISTERED.id]: 'peer not registered',
};

/** Returns the refusal of a token, without any part of the token. */
export const tokenRefusal = (word: ErrorWord): ServiceError => {
  const status = word === INVALID_SIGNATURE ? { status: 401 } : {};
  return new ServiceError(word, DETAILS[word.id] ?? word.id, status);
};
