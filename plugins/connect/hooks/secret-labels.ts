import type { SecretForm } from './secret-forms.ts';
import { COPULA, KEY_NAME, PASSWORD_NAME, PIN_NAME, SIGN } from './secret-names.ts';

/** A quoted value, or a run of characters without spaces and closing punctuation. */
const VALUE =
  '(?:["\'`]?(?<v>(?<=["\'`])[^"\'`\\n]{3,200}(?=["\'`])|(?<!\\*)\\*\\*[^\\s*]{3,200}(?=\\*\\*)|[^\\s"\'`，。、；！？]{3,400}))';
/** Words between a name and the sign after it, such as "for staging" in "password for staging:". */
const ASIDE = '(?:[^\\S\\n]{1,3}[^\\n.:=;!?|]{1,40}?)?';

type Judge = NonNullable<SecretForm['accepts']>;

const labelled = (source: string, accepts: Judge, flags = 'i'): SecretForm => ({
  pattern: new RegExp(source, `dgu${flags}`),
  accepts: (value, text, at) => !isReference(bare(value)) && accepts(bare(value), text, at + value.length),
});

/** Removes punctuation and Markdown around a value. */
const bare = (value: string): string => value.replace(/^[*_([{<]{1,4}(?=[\p{L}\p{N}])|[.,;:!?)\]}*_>]{1,8}$/gu, '');

const hasDigitOrMark = (value: string): boolean => /\d|[!@#$%^&~|\\]/.test(value);
const isMixed = (value: string): boolean =>
  /\p{L}/u.test(value) ? hasDigitOrMark(value) : /[!@#$%^&~|\\]/.test(value);

/** A password may be a number, but not a number with a unit. */
const isPassword: Judge = (value, text, end) => {
  if (value.length < 3 || !hasDigitOrMark(value)) return false;
  const behindNumber = value.replace(/^\d[\d.,+]*/, '');
  if (behindNumber !== value && behindNumber !== '' && UNIT.test(behindNumber)) return false;
  return !(isAmount(value) && UNIT.test(text.slice(end, end + 24)));
};

/** A generated key is longer than a word, and is no amount. */
const isKey: Judge = (value) => value.length >= 6 && isMixed(value) && !isAmount(value);

/** Several words in quotation marks, unless they are a message such as "please enter your password". */
const isQuotedPhrase: Judge = (value, text, end) =>
  /^["'`]/.test(text.slice(end)) && /\s/.test(value) && !REQUESTS.some((word) => value.toLowerCase().includes(word));

const REQUESTS: readonly string[] = ['pass', 'enter', 'your', 'please', 'must', 'wrong', 'invalid', 'required'];

const isLastWord = (text: string, end: number): boolean =>
  /^[)"'`*]{0,3}\s*(?:$|[\n.,;!?])/.test(text.slice(end, end + 8));

const isWordPassword: Judge = (value, text, end) =>
  isPassword(value, text, end) ||
  isQuotedPhrase(value, text, end) ||
  (/^[\p{L}-]{4,40}$/u.test(value) && isLastWord(text, end) && !STATES.test(value.toLowerCase()));

const isAdjacentPassword: Judge = (value, text, end) =>
  isQuotedPhrase(value, text, end) ||
  (value.length >= 5 && isMixed(value) && isPassword(value, text, end) && !isAmount(value));

export const LABELLED: readonly SecretForm[] = [
  labelled(`${PASSWORD_NAME}${SIGN}${VALUE}`, isWordPassword),
  labelled(`${PASSWORD_NAME}${ASIDE}${SIGN}${VALUE}`, isPassword),
  labelled(`${PASSWORD_NAME}(?:${COPULA})${VALUE}`, isWordPassword),
  labelled(`${PASSWORD_NAME}[^\\S\\n]{1,3}${VALUE}`, isAdjacentPassword),
  labelled(
    `${PIN_NAME}(?:${ASIDE}${SIGN}|${COPULA}|[^\\S\\n])${VALUE}`,
    (value, text, end) => /^\d{3,12}$/.test(value) && isPassword(value, text, end),
    '',
  ),
  labelled(`${KEY_NAME}${SIGN}${VALUE}`, isKey),
  labelled(`${KEY_NAME}${ASIDE}${SIGN}${VALUE}`, isKey),
  labelled(`${KEY_NAME}(?:${COPULA})${VALUE}`, isKey),
  labelled(`${KEY_NAME}[^\\S\\n]{1,3}${VALUE}`, (value, text, end) => value.length >= 12 && isKey(value, text, end)),
  // Variables of programs, and options of commands.
  labelled(
    `(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASS|PASSWORD|PASSWD|PWD|PAT|CREDENTIALS?)["']?\\s?[=:]\\s?${VALUE}`,
    (value) => value.length >= 4 && !isAmount(value),
    '',
  ),
  labelled(`(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{0,60}(?:KEY|DSN|AUTH)["']?\\s?[=:]\\s?${VALUE}`, isKey, ''),
  labelled(
    `(?:^|\\s)--?(?:password|passwd|pass|token|secret|api-?key|access-?key|secret-?key|auth-?token)[ =]${VALUE}`,
    (value) => !value.startsWith('-') && hasDigitOrMark(value),
  ),
  labelled(`[?;](?:password|pwd|accountkey|sharedaccesskey)=(?<v>[^;"'\\n]{3,400})`, (value) => value.length >= 3),
  // Here the value precedes the name.
  labelled(
    `(?<v>[^\\s"'\`，。、；！？]{4,200})["'\`]?\\s(?:is|ist|war|est|es|é|è|är|er|jest|це|это|as|als)\\s(?:\\p{L}{1,12}\\s){0,3}?(?:${PASSWORD_NAME}|${KEY_NAME})`,
    (value, text, end) =>
      isMixed(value)
        ? value.length >= 5 && !isAmount(value)
        : /PIN|code/.test(text.slice(end, end + 40)) && /^\d{4,8}$/.test(value),
  ),
];

/** True for a count, a version, a date, a time, a price, an address of a machine, a ticket. */
const isAmount = (value: string): boolean =>
  /^[#~<>≤≥$€£¥]{0,2}\d[\d.,_:/-]*[+%]?\p{L}{0,3}$/u.test(value) || /^v\d[\w.-]*$/i.test(value);

const UNIT = new RegExp(
  [
    '^[)*_]{0,3}[-\\s]*(?:char|letter|digit|word|byte|bit|day|hour|minute|second|week|month|year|time|',
    'attempt|point|step|of\\b|zeichen|stell|ziffer|tag|stund|minut|wort|caract|chiffre|jour|mot|dígito|cifr|',
    'día|dia|teken|cijfer|tecken|siffr|знак|символ|цифр|дн|文字|桁|位|个|個|字|자리|글자|%)',
  ].join(''),
  'i',
);

/** Returns true for a value that refers to a secret, or only names something. */
const isReference = (value: string): boolean => REFERENCES.some((pattern) => pattern.test(value));

const REFERENCES: readonly RegExp[] = [
  // Placeholders, variables, expressions.
  /^(?:\$\{?\w+\}?|%\w+%|\{\{.*|<.*|\$\(.*|\*+|[xX•·]{3,}|\.{2,}|…)$/,
  /^(?:process\.env|import\.meta|os\.environ|env)\b/,
  /^(?:[A-Za-z_]\w*\??\.)*[A-Za-z_]\w*\??[([]/,
  /^(?:[a-z_]\w*\.)+[a-z_]\w*$/i,
  // Addresses, paths, mail addresses, tickets.
  /^[a-z][a-z0-9+.-]*:\/\//i,
  /^(?:~|\.{1,2})?\/[^+=]*$/,
  /^[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]{1,5}\d?$/i,
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/,
  /^[\w.-]+:\d{2,5}(?:\/.*)?$/,
  /^[A-Z]{2,10}-\d{1,6}$/,
  /^@[\w/-]+$/,
  // Digests and ids.
  /^(?:sha\d{1,3}|md5)[:-]/i,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{40}$/,
  // Methods and standards.
  /^(?:[hrep]s\d{3}|sha-?\d+|aes-?\d+[\w-]*|md5|oauth\s?[12][\w.]*|(?:bcrypt|argon|scrypt|pbkdf|base)-?\d+\w*|utf-?\d+|rfc-?\d+|ed25519|x\.?509|rsa-?\d+|ipv[46]|uuid(?:v\d)?|http\/?\d|s3|k8s|2fa|mfa|1password|auth0|ec2|x25519|p-?256|totp|web3|i18n|es20\d\d)$/i,
];

/** Words that describe a password, such as its state, and are no password. */
const STATES = new RegExp(
  [
    '^(?:wrong|weak|strong|fine|same|there|here|good|empty|null|none|nil|undefined|true|false|string|text|',
    'number|boolean|object|array|any|void|unknown|never|secret|masked|hidden|gone|lost|known|safe|secure|',
    'public|private|unique|random|short|long|enough|correct|ok|okay|yours|mine|ours|varchar|bytes|char|',
    'buffer|input|field|form|falsch|richtig|leer|weg|sicher|schwach|stark|geheim|gleich|bekannt|notwendig|',
    'faux|vide|obligatoire|correcte?|incorrecte?|segura?|vacía|vacio|correcta|incorrecta|obligatoria|vuota|',
    'sbagliata|fout|leeg|пуст\\p{L}*|невер\\p{L}*|верн\\p{L}*|нужен|обязател\\p{L}*|\\p{L}*(?:ed|en|ing|able|',
    'ible|ous|ful|less|al|ic|ive|ary|ory|ent|ant|lich|bar|ert|iert|lig|isch|ado|ada|ido|ida|ato|ata|uto|ée|é|',
    'ный|ный|ён|ен|ан|ят|ят|ern|eln))$',
  ].join(''),
  'u',
);
