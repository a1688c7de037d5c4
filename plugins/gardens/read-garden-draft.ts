import { foldName, hasForbiddenCodePoint, isWithinCharacters } from '../../kernel/internal-api.ts';
import { memberRefusal, SCOPES } from '../../kernel/plugin-api.ts';
import { SLUG } from './garden-name.ts';
import { ROLES, type Role } from './garden-row.ts';
import type { GardenDraft } from './gardens-api.ts';

/** The maximum number of characters in a name, a description or a reason. */
export const MAX_TEXT_LENGTH = 1024;

/** Returns the draft in its stored form. Throws `validation` that names the invalid member of the body. */
export const readGardenDraft = ({ slug, name, scope, description, quarantine }: GardenDraft): Required<GardenDraft> => {
  const given = { slug: foldName(slug), name: name.trim() };
  if (!SLUG.test(given.slug)) {
    throw memberRefusal('body.slug', 'must be 1 to 63 letters of a to z, digits and dashes, and begin with no dash');
  }
  if (given.name === '') throw memberRefusal('body.name', 'must not be empty');
  if (!SCOPES.includes(scope)) throw memberRefusal('body.scope', `must be one of ${SCOPES.join(', ')}`);
  return {
    ...given,
    name: readFreeText(given.name, 'body.name'),
    scope,
    description: description == null ? null : readFreeText(description, 'body.description'),
    quarantine: quarantine ?? false,
  };
};

export const readRole = (role: Role): Role => {
  if (ROLES.includes(role)) return role;
  throw memberRefusal('body.role', `must be one of ${ROLES.join(', ')}`);
};

/** Reads a free text. Throws `validation` if it is too long, or a store cannot hold it. */
export const readFreeText = (text: string, path: string): string => {
  if (!isWithinCharacters(text, MAX_TEXT_LENGTH)) {
    throw memberRefusal(path, `must have at most ${MAX_TEXT_LENGTH} characters`);
  }
  if (hasForbiddenCodePoint(text)) throw memberRefusal(path, 'must not contain U+0000 or a lone surrogate');
  return text;
};
