import { hasForbiddenCodePoint, memberRefusal, type NodeSelf } from '../../kernel/plugin-api.ts';

/** After trimming, in lower case. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A garden named by its id or slug. */
export type GardenName = { readonly id: string } | { readonly slug: string };

/**
 * Reads a URI, a UUID or a slug; empty for other text. Of a URI only the part after `/garden/` counts, so that a node
 * that has moved still recognises its gardens. A slug may look like a UUID, so such a text yields both.
 */
export const readGardenName = (text: string, { names }: NodeSelf): readonly GardenName[] => {
  const name = text.trim().toLowerCase();
  if (name.startsWith(names.scheme)) {
    const at = name.indexOf(MARK, names.scheme.length);
    const slug = at === -1 ? '' : name.slice(at + MARK.length);
    return SLUG.test(slug) ? [{ slug }] : [];
  }
  if (UUID.test(name)) return [{ id: name }, { slug: name }];
  return SLUG.test(name) ? [{ slug: name }] : [];
};

/** Text of a path parameter. Throws 400 for text that a store cannot hold. */
export const readPathText = (text: string, member: string): string => {
  if (!hasForbiddenCodePoint(text)) return text;
  throw memberRefusal(`path.${member}`, 'must not contain U+0000 or a lone surrogate', 'bad_parameter');
};

const MARK = '/garden/';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
