/** Text without suspected secrets. */
export interface CleanText {
  readonly text: string;
  /** Number of removed lines. */
  readonly left: number;
}

/** Bounds the text that each pattern sees. */
const MAX_LINE_LENGTH = 2_000;

const PATTERNS: readonly RegExp[] = [
  // Text that is labelled as a secret.
  /(?:pass(?:word|wd|phrase|code)?|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|credentials?|\bpwd|\bpin)["'`]?\s*(?:[:=]|=>|\bis\b|\blautet\b)\s*\S{3,}/i,
  // Credentials in an address or a header.
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:]{0,200}:[^\s/@]{1,200}@/i,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{12,}/i,
  // Keys in well-known formats.
  /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_\w{20,}|\bhf_\w{20,}/,
  /\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{10,}\.[\w-]{5,}|\bwhsec_\S{16,}/,
  // Long random words: more digits than a git digest has, or mixed letters and digits.
  /\b[0-9a-f]{48,}\b/i,
  /(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)(?<![\w+/=.-])[A-Za-z0-9+_-]{32,}={0,2}(?![\w/.])/,
];

const BEGIN_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const END_KEY = /-----END [A-Z ]{0,40}PRIVATE KEY-----/;

/** Removes lines that look like keys, tokens or passwords. This is a guess; some secrets look like ordinary text. */
export const withoutSecrets = (text: string): CleanText => {
  const kept: string[] = [];
  let left = 0;
  let isInKey = false;
  for (const line of text.split(/\r?\n/)) {
    if (BEGIN_KEY.test(line)) isInKey = true;
    const isSecret = isInKey || looksSecret(line);
    if (END_KEY.test(line)) isInKey = false;
    if (isSecret) left += 1;
    else kept.push(line);
  }
  return { text: kept.join('\n'), left };
};

/** Splits a line that is too long into overlapping pieces. */
const looksSecret = (line: string): boolean => {
  for (let start = 0; start === 0 || start < line.length; start += MAX_LINE_LENGTH / 2) {
    const part = line.slice(start, start + MAX_LINE_LENGTH);
    if (PATTERNS.some((pattern) => pattern.test(part))) return true;
  }
  return false;
};
