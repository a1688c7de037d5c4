import { type ErrorWord, ServiceError } from '../../../kernel/plugin-api.ts';
import { INVALID_SIGNATURE } from '../federation-words.ts';
import * as words from './token-words.ts';

/** What a refused token is answered with: the words of other makes of this protocol, which clients print. */
const DETAILS: Readonly<Record<string, string>> = {
  [words.PEER_TOKEN_REQUIRED.id]: 'peer token required',
  [words.MALFORMED_TOKEN.id]: 'malformed token',
  [words.PEER_NOT_REGISTERED.id]: 'peer not registered',
};

/** Tells nothing of what the token says. */
export const tokenRefusal = (word: ErrorWord): ServiceError => {
  const status = word === INVALID_SIGNATURE ? { status: 401 } : {};
  return new ServiceError(word, DETAILS[word.id] ?? word.id, status);
};
