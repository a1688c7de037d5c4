import type { SecretForm } from './secret-forms.ts';

/** If one of these words is in the same line, a long run of hexadecimal digits is a digest. */
const DIGEST_WORDS = new RegExp(
  [
    'sha-?\\d|sha\\b|digest|checksum|\\bhash|commit|fingerprint|revision|\\brev\\b|etag|\\bblob|\\btree|',
    'merkle|integrity|content.?id|fact.?id|image|layer|prüfsumme|somme de contrôle|校验|哈希|ハッシュ|해시|хеш|сумм',
  ].join(''),
  'i',
);

const lineOf = (text: string, at: number): string => {
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, end < 0 ? text.length : end).slice(0, 2_000);
};

/** Returns true inside a digest that names its algorithm, a public key, or an image in base64. */
const isPublic = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 400), at);
  return (
    /(?:sha\d{1,3}|md5)[:-]$/i.test(before) ||
    /^sha\d{3}-/.test(text.slice(at, at + 8)) ||
    /(?:ssh-\w{2,10}|ecdsa-[\w-]{1,30}|sk-ssh-[\w@.-]{1,40})\s$/.test(before) ||
    /data:[\w/+.-]{1,40};base64,$/.test(before) ||
    before.lastIndexOf('-----BEGIN ') > before.lastIndexOf('-----END ')
  );
};

/** Returns true for random text, which alternates between digits and letters more often than identifiers do. */
const isDrawn = (run: string): boolean => {
  const digitGroups = run.match(/\d+/g)?.length ?? 0;
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run)) return false;
  const longestWord = Math.max(0, ...(run.match(/[a-z]+/g) ?? []).map(({ length }) => length));
  return digitGroups >= 4 || (digitGroups >= 3 && longestWord <= 6) || (digitGroups >= 2 && longestWord <= 4);
};

/** Secret keys of AWS have 40 characters, and some contain only one digit. */
const AWS_LENGTH = 40;
const isLoud = (run: string): boolean =>
  /\d/.test(run) && /[a-z]/.test(run) && (run.match(/[A-Z]{2,}/g)?.length ?? 0) >= 3;

const shaped = (source: string, accepts: NonNullable<SecretForm['accepts']>): SecretForm => ({
  pattern: new RegExp(source, 'dgu'),
  accepts: (value, text, at) => !isPublic(text, at) && accepts(value, text, at),
});

/** Finds secrets without a name, by their shape and their randomness. */
export const SHAPED: readonly SecretForm[] = [
  // 40 hexadecimal digits are a commit. 48 and more are a key, unless the line contains a word for a digest.
  shaped('(?<![\\w:-])(?<v>[0-9a-fA-F]{48,512})(?![\\w-])', (_value, text, at) => !DIGEST_WORDS.test(lineOf(text, at))),
  shaped('(?<![\\w+/=.-])(?<v>[A-Za-z0-9_+-]{24,512}={0,2})(?![\\w/]|\\.\\w)', (value) => isDrawn(value)),
  // Text with slashes may be a path, whose parts are words.
  shaped('(?<![\\w+/=.:-])(?<v>[A-Za-z0-9+/]{32,512}={0,2})(?![\\w/.-])', (value) => {
    if (value.length === AWS_LENGTH && isLoud(value)) return true;
    const parts = value.split('/');
    return parts.length === 1 ? isDrawn(value) : value.length / parts.length >= 8 && isDrawn(parts.join(''));
  }),
];
