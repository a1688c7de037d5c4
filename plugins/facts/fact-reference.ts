import { hasForbiddenCodePoint, objectRequiring } from '../../kernel/internal-api.ts';
import { memberRefusal, ServiceError } from '../../kernel/plugin-api.ts';
import { CID_MALFORMED } from './facts-words.ts';

/** The path parameter of routes about one fact. */
export interface FactPath {
  readonly id: string;
}

export const factPath = objectRequiring<FactPath>(['id'], { id: { type: 'string' } });

/** A reference to a fact in a path, by its id or by its content id. */
export type FactReference = { readonly id: string } | { readonly cid: string };

/**
 * Reads a fact id or `sha256:<64 hex>`. Accepts every id that a store can hold. Throws `cid_malformed` (400) for a
 * malformed content id.
 */
export const readFactReference = (text: string): FactReference => {
  if (!text.startsWith(CID_PREFIX)) return { id: readFactId(text) };
  if (CID.test(text)) return { cid: text.toLowerCase() };
  throw new ServiceError(CID_MALFORMED, 'a content id is sha256: and 64 hexadecimal digits', {
    violations: [{ path: 'path.id', message: 'must be sha256: and 64 hexadecimal digits' }],
  });
};

/** Returns the fact id. Throws 400 for U+0000 and lone surrogates, which a store cannot hold. */
export const readFactId = (text: string): string => {
  if (!hasForbiddenCodePoint(text)) return text;
  throw memberRefusal('path.id', 'must not contain U+0000 or a lone surrogate', 'bad_parameter');
};

/** Returns the same error for unknown facts and hidden ones. */
export const noSuchFact = (): ServiceError => new ServiceError('lookup', 'there is no such fact');

const CID_PREFIX = 'sha256:';
const CID = /^sha256:[0-9a-f]{64}$/i;
