import { isMixed, isName } from './drawn-text.ts';
import { maskUrls, withTexts } from './mask-urls.ts';

const MASK = '***';
/** The minimum length of a registered key. A shorter text is no key. */
const MIN_KEY_LENGTH = 32;
/** An id of an object, with or without a prefix for its kind, or a content id. */
const ID = /^(?:(?:[a-z]{3,10}_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha256(?::|%3A)[0-9a-f]{64})$/i;

/**
 * Masks a name from a caller that is long enough for a key. Masks the whole name, because every byte may belong to a
 * key. Ids of objects and content ids stay visible.
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
 * Masks keys and tokens in a sentence: hexadecimal text, both forms of base64, also percent-encoded, and tokens of
 * parts with dots. Ids, digests after the name of their algorithm, hosts, paths and versions stay visible.
 */
export const maskKeys = (text: string): string =>
  text.length < MIN_KEY_LENGTH
    ? text
    : text
        .split(DIGEST)
        .map((piece, at) => (at % 2 === 1 ? piece : maskPiece(piece)))
        .join('');

/** A digest after the name of its algorithm. The capturing group makes `split` return it too. */
const DIGEST = /((?:sha-?\d{1,3}|md5)(?::|%3A|=:|-)(?:[0-9a-f]{32,128}|[a-z0-9+/]{27,86}={0,2})(?![a-z0-9+/=]))/gi;

const maskPiece = (text: string): string =>
  text.replace(DOTTED, maskDotted).replace(SLASHED, maskSlashed).replace(RUN, maskRun);

const DOTTED = /[\w~.-]{32,}/g;
/** The start of a JSON object in base64, with which most signed tokens begin. */
const JSON_TOKEN = /^eyJ[\w-]{7,}/;

/** Masks a run from the first part of a token on. The parts before it may be a name or a host. */
const maskDotted = (run: string): string => {
  const parts = run.split('.');
  if (parts.length === 1) return run;
  const isLong = parts.filter((part) => part.length >= 16 && /\d/.test(part) && !isName(part)).length >= TOKEN_PARTS;
  const isSecret = (part: string) =>
    JSON_TOKEN.test(part) || (part.length >= (isLong ? 16 : 20) && !isName(part) && (isLong || isMixed(part)));
  const first = parts.findIndex(isSecret);
  return first === -1 ? run : [...parts.slice(0, first), MASK].join('.');
};

const SLASHED = /(?:[A-Za-z0-9+/]|%2[BFbf]){32,}(?:=|%3[Dd]){0,2}/g;
/** A word, as in the segments of an ordinary path. */
const WORD = /^[A-Z]?[a-z]*\d{0,2}$/;

/** Masks a key with slashes, and leaves the path around it visible. */
const maskSlashed = (run: string): string => {
  const segments = run.split(/(\/|%2F)/i);
  const isWord = (segment: string) => WORD.test(segment) || /^(?:\/|%2F)$/i.test(segment);
  const from = segments.findIndex((segment) => !isWord(segment));
  const to = segments.findLastIndex((segment) => !isWord(segment)) + 1;
  const key = segments.slice(from, to).join('');
  return from >= 0 && key.length >= MIN_KEY_LENGTH && isMixed(key.replace(/%2[BF]|%3D/gi, '/'))
    ? [...segments.slice(0, from), MASK, ...segments.slice(to)].join('')
    : run;
};

const RUN = /[A-Za-z0-9_~+=-]{32,}/g;
const maskRun = (run: string): string => (!/\d/.test(run) || ID.test(run) || isName(run) ? run : MASK);

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
