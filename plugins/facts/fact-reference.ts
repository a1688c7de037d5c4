import { hasForbiddenCodePoint, memberRefusal, ServiceError, schema } from '../../kernel/plugin-api.ts';
import { CID_MALFORMED } from './facts-words.ts';

/** Path parameter of the routes about one fact. */
export interface FactPath {
  readonly id: string;
}

export const factPath = schema<FactPath>({
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

/** A fact named in a path: by id or by content id. */
export type FactReference = { readonly id: string } | { readonly cid: string };

/**
 * Reads `{id}` or `sha256:<64 hex>`. Every id passes, unless it holds text that a store cannot hold. A malformed
 * content id is `cid_malformed` (400).
 */
export const readFactReference = (text: string): FactReference => {
  if (!text.startsWith(CID_PREFIX)) return { id: readFactId(text) };
  if (CID.test(text)) return { cid: text.toLowerCase() };
  throw new ServiceError(CID_MALFORMED, 'a content id is sha256: and 64 hexadecimal digits', {
    violations: [{ path: 'path.id', message: 'must be sha256: and 64 hexadecimal digits' }],
  });
};

/** Throws 400 for U+0000 and lone surrogates. */
export const readFactId = (text: string): string => {
  if (!hasForbiddenCodePoint(text)) return text;
  throw memberRefusal('path.id', 'must not contain U+0000 or a lone surrogate', 'bad_parameter');
};

/** Unknown and hidden facts get the same refusal. */
export const noSuchFact = (): ServiceError => new ServiceError('lookup', 'there is no such fact');

const CID_PREFIX = 'sha256:';
const CID = /^sha256:[0-9a-f]{64}$/i;
