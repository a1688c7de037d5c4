/**
 * Returns further words under which a text is found, because one name has several spellings. These are parts of names
 * in camel case and of codes such as `KL1234`, names with signs (`C++`, `.NET`) and versions. Also `Node.js` and groups
 * of digits without separators, and the beginning of a hash. Takes time linear in the length of the text.
 */
export const spellingsOf = (text: string): string[] =>
  MAY_HAVE_SPELLINGS.test(text) ? SPELLINGS.flatMap((spell) => spell(text)) : [];

/** Most texts have no other spellings. One test of this expression then saves the work of all readers below. */
const MAY_HAVE_SPELLINGS = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\d|\d\p{L}|[+#]|\.\p{L}|\d[ ./)-]\(?\d/u;

/** Parts of `parseInvoiceTotal`. A part of one letter, as in `mRNA`, is no word. */
const camelParts = (text: string): string[] =>
  text.match(WORD)?.flatMap((word) => {
    const parts = CAMEL_CASE.test(word) ? word.split(HUMPS) : [];
    return parts.every(({ length }) => length > 1) ? parts : [];
  }) ?? [];

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The capital must begin a part of at least three letters: `siRNA` and `RNAs` are not in camel case. */
const CAMEL_CASE = /\p{Ll}\p{Lu}\p{Ll}|\p{Lu}\p{Lu}\p{Ll}\p{Ll}/u;
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Finds `KL 1234` and `KL-1234` by `KL1234`, and `2` by `v2`. Shorter codes, such as `p53`, are words of their own. */
const codeParts = (text: string): string[] =>
  text.match(CODE)?.flatMap((word) => {
    if (VERSIONED.test(word)) return [word.slice(1)];
    const parts = word.match(LETTERS_OR_DIGITS) ?? [];
    return parts.length <= MOST_PARTS && parts.every((part) => LONG_PART.test(part)) ? parts : [];
  }) ?? [];

/** A number next to a colon is a time of day. */
const CODE = /(?<![\p{L}\p{N}\p{M}:])(?=\p{L}{1,12}\d|\d{1,20}\p{L})[\p{L}\d]{2,34}(?![\p{L}\p{N}\p{M}:])/gu;
const VERSIONED = /^[vV]\d+$/;
const LETTERS_OR_DIGITS = /\p{L}+|\d+/gu;
const LONG_PART = /^(?:\p{L}\p{L}|\d\d\d)/u;
/** A text with more parts is a hash, not a code. */
const MOST_PARTS = 4;

/** `C++` and `C#`, and `.NET` at the beginning of a word. A version may follow, as in `C++20`. */
const signedNames = (text: string): string[] => text.match(SIGNED)?.map((name) => name.toLowerCase()) ?? [];

const SIGNED = /(?<![\p{L}\p{N}])[A-Za-z]+(?:\+\+|#)|(?<![\p{L}\p{N}./])\.[A-Za-z]+/gu;

/** `Node.js`: a name and a short ending. A longer word after a dot begins the next sentence. */
const dottedNames = (text: string): string[] =>
  text.match(DOTTED)?.flatMap((name) => (SHORT_ENDING.test(name) ? [name.replace('.', '')] : [])) ?? [];

const DOTTED = /(?<![\p{L}\p{N}.@])[\p{L}\p{N}]+\.\p{L}+(?![\p{L}\p{N}.])/gu;
const SHORT_ENDING = /\.\p{L}{2,4}$/u;

/** A number with one dot is a decimal. */
const versions = (text: string): string[] =>
  text.match(VERSION)?.filter((version) => version.length <= LONGEST_VERSION) ?? [];

const VERSION = /(?<![\d.])\d+(?:\.\d+){2,8}/g;
const LONGEST_VERSION = 24;

/** Joins groups of digits, as in telephone, order and account numbers. Dates are excluded. */
const joinedDigits = (text: string): string[] =>
  text.match(GROUPS)?.flatMap((groups) => {
    const digits = groups.replace(/\D/g, '');
    const isNumber = digits.length >= FEWEST_DIGITS && digits.length <= MOST_DIGITS && digits !== groups;
    return isNumber && !DATE.test(groups) ? [digits] : [];
  }) ?? [];

const GROUPS = /\d[\d ./()-]*\d/g;
const DATE = /^\d{4}-\d{2}-\d{2}/;
const FEWEST_DIGITS = 7;
const MOST_DIGITS = 24;

const accounts = (text: string): string[] => text.match(IBAN)?.map((account) => account.replaceAll(/[ -]/g, '')) ?? [];

const IBAN = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?:[ -][A-Za-z\d]{4}){2,7}(?:[ -][A-Za-z\d]{1,3})?(?![\p{L}\p{N}])/gu;

/** The first seven digits of a hash, by which people name a commit. Groups of a UUID are excluded. */
const hashBeginnings = (text: string): string[] =>
  text.match(HASH)?.flatMap((hash) => (MIXED.test(hash) ? [hash.slice(0, SHORT_HASH).toLowerCase()] : [])) ?? [];

const HASH = /(?<![\p{L}\p{N}-])[\da-fA-F]{8,64}(?![\p{L}\p{N}-])/gu;
const MIXED = /\d[a-f]|[a-f]\d/i;
const SHORT_HASH = 7;

const SPELLINGS = [camelParts, codeParts, signedNames, dottedNames, versions, joinedDigits, accounts, hashBeginnings];
