import { hasForbiddenCodePoint, isWithinCharacters } from '../../../kernel/internal-api.ts';
import { memberRefusal, readEntityUri, SCOPES } from '../../../kernel/plugin-api.ts';
import type { TombstoneDraft, TombstoneScope } from '../tombstones-api.ts';
import { TOMBSTONE_ENTITY_URI_INVALID, TOMBSTONE_INVALID_SCOPE } from '../tombstones-words.ts';

export const MAX_REASON_LENGTH = 1024;

/** Reads a draft. Throws if it breaks a rule. */
export const readTombstoneDraft = ({ entityUri, scope = '*', reason = null, legalHold = false }: TombstoneDraft) => ({
  entityUri: readUri(entityUri),
  scope: readScope(scope),
  reason: reason === null ? null : readReason(reason),
  legalHold,
});

const readUri = (text: string): string => {
  if (text.includes(':')) return readEntityUri(text, 'body.entity_uri');
  throw memberRefusal(
    'body.entity_uri',
    'must be a URI with a colon, such as user:alice',
    TOMBSTONE_ENTITY_URI_INVALID,
  );
};

const readScope = (text: string): TombstoneScope => {
  const scope = ['*' as const, ...SCOPES].find((known) => known === text);
  if (scope !== undefined) return scope;
  throw memberRefusal('body.scope', `must be "*" or one of ${SCOPES.join(', ')}`, TOMBSTONE_INVALID_SCOPE);
};

/** Reads a reason. Throws if it cannot be stored. */
export const readReason = (text: string): string => {
  if (text.trim() === '') throw memberRefusal('body.reason', 'must not be empty');
  if (!isWithinCharacters(text, MAX_REASON_LENGTH)) {
    throw memberRefusal('body.reason', `must be at most ${MAX_REASON_LENGTH} characters long`);
  }
  if (hasForbiddenCodePoint(text)) throw memberRefusal('body.reason', 'must not contain U+0000 or a lone surrogate');
  return text;
};
