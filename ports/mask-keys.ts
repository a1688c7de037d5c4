import { maskUrls, withTexts } from './mask-urls.ts';

const MASK = '***';
/** The minimum length of a registered key. A shorter text is no key. */
const MIN_KEY_LENGTH = 32;
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha256(?::|%3A)[0-9a-f]{64})$/i;

/**
 * Masks a name that a caller chose if it is long enough for a key. Every byte may belong to a key, so the whole name
 * goes. Ids of facts and of contents stay.
 */
export const maskName = (name: string): string => (name.length < MIN_KEY_LENGTH || ID.test(name) ? name : MASK);

/** Masks the segments of a request's path that may be a key, and the whole path if a key with slashes may be in it. */
export const maskPath = (path: string): string => {
  const segments = path.split('/').map(maskName);
  const rest = segments.filter((segment) => !ID.test(segment)).join('/');
  return isInBase64(rest) ? MASK : segments.join('/');
};

const isInBase64 = (text: string): boolean =>
  BASE64_RUN.test(text) && [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(text));

/** A key of 32 bytes in base64 has 43 characters, and slashes among them. */
const BASE64_RUN = /[A-Za-z0-9+/=_-]{43}/;

/**
 * Masks drawn keys and parts of tokens in a sentence: each run of 32 or more letters, digits and their like with a
 * digit in it. Ids stay. Words of the program have no such form.
 */
export const maskKeys = (text: string): string =>
  text.length < MIN_KEY_LENGTH ? text : text.replace(RUN, (run) => (!/\d/.test(run) || ID.test(run) ? run : MASK));

const RUN = /(?:sha256:)?[A-Za-z0-9_~+=-]{32,}/g;

/** Masks drawn keys, and secrets in URLs. For messages that leave the process: log lines and errors of commands. */
export const maskSecrets = (text: string): string => maskKeys(maskUrls(text));

/** Masks drawn keys, and secrets in URLs, in every text inside a JSON value. */
export const maskSecretsIn = (value: unknown): unknown => withTexts(value, maskSecrets);

/** Returns whether a text that a caller chose may hold a key or a token. */
export const mayHoldKey = (text: string): boolean =>
  maskKeys(text) !== text || isInBase64(text) || text.split('.').filter(isTokenPart).length >= TOKEN_PARTS;

/** A JSON Web Token has three parts with dots between them. */
const TOKEN_PARTS = 3;
const isTokenPart = (part: string): boolean => part.length >= 16 && !/[^\w-]/.test(part);
