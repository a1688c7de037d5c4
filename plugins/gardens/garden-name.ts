import { foldName, hasForbiddenCodePoint } from '../../kernel/internal-api.ts';
import { memberRefusal, type NodeSelf } from '../../kernel/plugin-api.ts';

/** The pattern of a slug, after trimming and lowercasing. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A reference to a garden by its id or slug. */
export type GardenName = { readonly id: string } | { readonly slug: string };

/**
 * Reads a garden's URI, UUID or slug; returns an empty list for other text. Of a URI only the part after `/garden/`
 * counts, so that a node whose address has changed still recognises its gardens. A slug may look like a UUID, so such a
 * text yields both.
 */
export const readGardenName = (text: string, { names }: NodeSelf): readonly GardenName[] => {
  const name = foldName(text);
  if (name.startsWith(names.scheme)) {
    const at = name.indexOf(MARK, names.scheme.length);
    const slug = at === -1 ? '' : name.slice(at + MARK.length);
    return SLUG.test(slug) ? [{ slug }] : [];
  }
  if (UUID.test(name)) return [{ id: name }, { slug: name }];
  return SLUG.test(name) ? [{ slug: name }] : [];
};

/** Reads a path parameter. Throws 400 for text that a store cannot hold. */
export const readPathText = (text: string, member: string): string => {
  if (!hasForbiddenCodePoint(text)) return text;
  throw memberRefusal(`path.${member}`, 'must not contain U+0000 or a lone surrogate', 'bad_parameter');
};

const MARK = '/garden/';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
