import { hasForbiddenCodePoint, hasWhiteSpace, isControlFree, isWithinCharacters } from '../../kernel/plugin-api.ts';

export const MAX_SEGMENT_LENGTH = 256;

/**
 * What keeps a text from being one segment of a URI, or null. Names, versions and agents become part of the URIs of
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

/** Of a path or a URI: taking the text apart would give other parts than were put together. */
const RESERVED = /[/\\%?#]/;
const DOTS = /^\.+$/;
