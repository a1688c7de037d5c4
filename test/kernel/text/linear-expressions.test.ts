import { expect } from 'chai';
import { readSources } from '../../architecture/source-files.ts';

/** Found at run time, so that a checkout that is not installed anew still builds and runs all other tests. */
const DETECTOR: string = 'redos-detector';

interface Detector {
  isSafePattern(source: string, options: object): { readonly safe: boolean };
}

/** Expressions that may backtrack often, each with the length limit of its text or the reason for its cost. */
const BOUNDED: readonly (readonly [RegExp, string])[] = [
  [/^:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/, 'each part ends at a mark that the part cannot hold'],
  [/0+$/, 'an instant of at most 64 characters'],
  [/:(\d+)$/, 'the value of a setting'],
  [/^([a-z]+:\/\/)([^/?#]*)(.*)$/is, 'the value of a setting'],
  [/^(.+)-(\d+)\.sock$/, 'the name of a file in a folder of the node'],
  [/^\s*create\s+(?:unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+(\w+)\s*\(/i, 'a statement of a plugin'],
  [/\/+$/, 'an address that the operator or the program gives'],
  [/%.*$/, 'an address in a header without line ends'],
  [/"(?:id|fact_id)":"([\x21\x23-\x5b\x5d-\x7e]{1,128})"/g, 'repetitions of at most 128'],
  [/sha256:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'repetitions of at most 64'],
  [/ at line 1, (column \d+)$/, 'a reason of at most 500 characters'],
  [/^https?:\/\/[^/?#\\]+([\x21-\x22\x24-\x5b\x5d-\x7e]*)(?:#.*)?$/i, 'an address of at most 2,048 characters'],
  [
    /(?:ations?|ational|ative|ator|ate|ment|ness|ity|able|ible|ence|ance|ion|ive|al|er|or|ic|ize|ise)$/,
    'no repetition',
  ],
  [/\/garden\/([^/]+)$/, 'the URI of a garden, whose length the schema bounds'],
  [/(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/, 'no repetition'],
  [/'.*$/, 'one word'],
  [/(?<=[a-z]{3})[aeiouy]+$/, 'one word'],
  [/^(?:[A-Za-z_]\w*\??\.)*[A-Za-z_]\w*\??[([]/, 'a value of at most 400 characters, parted by dots'],
  [/^(?:[a-z_]\w*\.)+[a-z_]\w*$/i, 'a value of at most 400 characters, parted by dots'],
  [/(?:ssh-\w{2,10}|ecdsa-[\w-]{1,30}|sk-ssh-[\w@.-]{1,40})\s$/, 'at most 400 characters before a value'],
  [/data:[\w/+.-]{1,40};base64,$/, 'at most 400 characters before a value'],
  [/^\s*([^:：\n]+?)\s*(?::(?=\s|$)|：)/u, 'the beginning of a value, cut to the longest name'],
  [/\{(\w+)\}/g, 'the pattern of a route'],
  [
    /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i,
    'a header of at most 16 KiB, parted by commas',
  ],
  [
    /(?:^|,)\s*application\/openmetrics-text\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i,
    'a header of at most 16 KiB, parted by commas',
  ],
  [/(^|\/)conversations([-_]\d+)?\.json$/, 'a name of at most 64 KiB with few places to begin'],
  [/(^|\/)conversations([-_]\d+)?\.jsonl?$/, 'a name of at most 64 KiB with few places to begin'],
  [/(^|\/)projects(\/[^/]+|[-_]\d+)?\.jsonl?$/, 'a name of at most 64 KiB with few places to begin'],
  [/\{([^{}]+)\}/g, 'the mapping that the user writes'],
  [/(?:^|,)\s*br\s*(?:,|$)/i, 'a header of at most 16 KiB, parted by commas'],
  [/^(?:[^@/:]+@)?([\w.-]{2,}):(?!\/\/)(.+)$/, 'an address of at most 2,048 characters'],
  [/^\w[\w+.-]*:\/\/(?:[^@/]*@)?([^/?#]+)\/([^?#]*)/, 'an address of at most 2,048 characters'],
  [/(?:\.git)?\/*$/, 'an address of at most 2,048 characters'],
  [/"([^"]*)"|'([^']*)'|(\S+)/g, 'a line of at most 4,096 characters'],
  [/\{(?:env:)?(\w{1,128})\}/, 'a repetition of at most 128'],
  [/^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/, 'the name of a package'],
  [/[A-Za-z0-9+/=_-]{43}/, 'a repetition of exactly 43'],
  [/[A-Za-z0-9_~+=-]{32,}/g, 'a failure reads at most 32 characters, and a match starts behind itself'],
  [/[\w~.-]{32,}/g, 'a failure reads at most 32 characters, and a match starts behind itself'],
  [
    /(?:[A-Za-z0-9+/]|%2[BFbf]){32,}(?:=|%3[Dd]){0,2}/g,
    'a failure reads at most 32 characters, and a match starts behind itself',
  ],
  [
    /((?:sha-?\d{1,3}|md5)(?::|%3A|=:|-)(?:[0-9a-f]{32,128}|[a-z0-9+/]{27,86}={0,2})(?![a-z0-9+/=]))/gi,
    'repetitions of at most 128',
  ],
  [/^-+|-+$/g, 'the name of a client, cut to 40 characters'],
  [
    /(?<![\p{L}\p{N}])[A-Za-z]+(?:\+\+|#)|(?<![\p{L}\p{N}./])\.[A-Za-z]+/gu,
    'a match begins at the start of a word alone',
  ],
  [/(?<![\p{L}\p{N}.@])[\p{L}\p{N}]+\.\p{L}+(?![\p{L}\p{N}.])/gu, 'a match begins at the start of a word alone'],
  [/(?<![\d.])\d+(?:\.\d+){2,8}/g, 'a match begins at the start of a number alone'],
  [/(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/gu, 'a match begins at the start of a word alone'],
  [/\d[\d ./()-]*\d/g, 'a failure reads separators alone, in which no match begins'],
  [/(?<= )[^ ]{16,}$/, 'a header, whose words are read once'],
  [/(?<!\bfile):\/\/(?:[^\s@]{0,512}@){0,4}[^\s"'<>`\\]+/g, 'repetitions of at most 512 and 4'],
];

const FLAGS = /^[a-z]*/;
/** A slash after one of these begins an expression, after anything else it divides. */
const BEFORE = /[(,=:[!&|?{};+\-*%~^<>]$|\b(?:return|typeof|case|of|in)$/;

/** Returns the index after a quoted text or a class of characters that begins at `start`. */
const endOf = (text: string, start: number, close: string): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== close) at += text[at] === '\\' ? 2 : 1;
  return at + 1;
};

/** Returns the expression that begins at a slash; undefined for a division. */
const expressionAt = (text: string, start: number) => {
  let at = start + 1;
  while (text[at] !== '/') {
    if (at >= text.length || text[at] === '\n') return undefined;
    at = text[at] === '[' ? endOf(text, at, ']') : at + (text[at] === '\\' ? 2 : 1);
  }
  const flags = FLAGS.exec(text.slice(at + 1))?.[0] ?? '';
  return { source: text.slice(start + 1, at), flags, end: at + 1 + flags.length };
};

/** Yields the regular expressions of a source text, without those inside of comments and texts. */
function* expressionsIn(text: string): Generator<{ readonly source: string; readonly flags: string }> {
  const open: string[] = [];
  for (let at = 0; at < text.length; ) {
    const mark = text[at] ?? '';
    if (text.startsWith('//', at)) at = (text.indexOf('\n', at) + 1 || text.length + 1) - 1;
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 2;
    else if (mark === "'" || mark === '"') at = endOf(text, at, mark);
    else if (mark === '`' || (mark === '}' && open.at(-1) === '`')) {
      if (mark === '}') open.pop();
      at += 1;
      while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1;
      if (text[at] !== '`') open.push('`');
      at += text[at] === '`' ? 1 : 2;
    } else if (mark === '/' && BEFORE.test(text.slice(Math.max(0, at - 12), at).trimEnd())) {
      const found = expressionAt(text, at);
      if (found !== undefined) yield found;
      at = found?.end ?? at + 1;
    } else {
      if (mark === '{') open.push(mark);
      if (mark === '}') open.pop();
      at += 1;
    }
  }
}

/** Counts backtracks instead of time, so that the verdict is the same on every machine. */
const isLinear = ({ isSafePattern }: Detector, source: string, flags: string): boolean =>
  isSafePattern(source, {
    caseInsensitive: flags.includes('i'),
    unicode: /[uv]/.test(flags),
    dotAll: flags.includes('s'),
    multiLine: flags.includes('m'),
    maxScore: 200,
    maxSteps: 4_000,
    timeout: Number.POSITIVE_INFINITY,
  }).safe;

describe('regular expressions', function () {
  this.timeout(120_000);

  it('take linear time, or the length of their text is limited', async () => {
    const detector = (await import(DETECTOR)) as Detector;
    const places = new Map<string, string>();
    for (const { path, text } of await readSources()) {
      // The page of the console runs on the machine of its reader.
      if (!/^(?:adapters|client|config|kernel|plugins|ports)\//.test(path) || path.includes('/console/app/')) continue;
      for (const { source, flags } of expressionsIn(text)) places.set(`/${source}/${flags}`, path);
    }
    expect(places.size).to.be.above(250);
    const costly = [...places.keys()].filter((spelled) => {
      const end = spelled.lastIndexOf('/');
      return !isLinear(detector, spelled.slice(1, end), spelled.slice(end + 1));
    });
    const bounded = BOUNDED.map(([expression]) => String(expression));
    const unknown = costly.filter((spelled) => !bounded.includes(spelled));
    expect(unknown.map((spelled) => `${places.get(spelled)} ${spelled}`)).to.deep.equal([]);
    expect(bounded.filter((spelled) => !costly.includes(spelled))).to.deep.equal([]);
  });
});
