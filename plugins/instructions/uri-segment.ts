import { hasForbiddenCodePoint, hasWhiteSpace, isControlFree, isWithinCharacters } from '../../kernel/internal-api.ts';

export const MAX_SEGMENT_LENGTH = 256;

/**
 * Returns why a text cannot be one segment of a URI, or null. Names, versions and agents become parts of the URIs of
 * facts.
 */
export const problemOfSegment = (text: string): string | null => {
  if (text === '' || !isWithinCharacters(text, MAX_SEGMENT_LENGTH)) {
    return `must be 1 to ${MAX_SEGMENT_LENGTH} characters long`;
  }
  if (hasWhiteSpace(text)) return 'must not contain white space';
  if (!isControlFree(text)) return 'must not contain control characters';
  if (hasForbiddenCodePoint(text)) return 'must not contain a lone surrogate';
  if (RESERVED.test(text)) return 'must not contain any of / \\ % ? #';
  return DOTS.test(text) ? 'must not be made of dots' : null;
};

/** Characters with a meaning in a path or a URI. A reader would split the URI at the wrong places. */
const RESERVED = /[/\\%?#]/;
const DOTS = /^\.+$/;
