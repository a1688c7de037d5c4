/** Content codings of replies, by preference. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * Returns the coding that a client prefers (RFC 9110, section 12.5.3). Returns undefined when the client accepts none
 * of `CODINGS`, or prefers an uncompressed body. Only `*` covers a coding that the client does not name.
 */
export const acceptedCoding = (accepted: string | undefined): Coding | undefined => {
  if (accepted === undefined || accepted.length > MAX_LENGTH) return undefined;
  const likings = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [, name, liking] = PART.exec(part) ?? [];
    if (name !== undefined) likings.set(name === 'x-gzip' ? 'gzip' : name, Number(liking ?? 1));
  }
  const likingOf = (name: string): number => likings.get(name) ?? likings.get('*') ?? 0;
  let best: Coding | undefined;
  for (const coding of CODINGS) if (likingOf(coding) > (best === undefined ? 0 : likingOf(best))) best = coding;
  return best !== undefined && likingOf(best) >= (likings.get('identity') ?? 0) ? best : undefined;
};

const PART = /^\s*([a-z0-9*_-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;
/** The maximum length of the header. Longer ones are ignored. */
const MAX_LENGTH = 1_000;
