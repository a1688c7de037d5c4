/** The meaning of a line beyond plain text. */
export type NoteLine =
  | { readonly kind: 'observation'; readonly category: string; readonly text: string }
  | { readonly kind: 'relation'; readonly type: string; readonly target: string };

const OBSERVATION = /^\[([^[\]()]{1,100})\]\s+(\S.*)$/;
const TASK = /^\[(?:[xX]|[^\p{L}\p{N}])?\]/u;
const TIME = /^\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?/;
const HASHTAG = /(?:^|\s)#[^\s#]/;
/** The maximum length of a link target. It bounds the work on a line with many brackets. */
const MAX_TARGET = 1_000;
const FENCE = /^\s*(?:```|~~~)/;

/** The observations and relations of a note, in the order of its lines. Ignores code and quotations. */
export function* noteLines(body: string): Generator<NoteLine & { readonly number: number }> {
  let isCode = false;
  for (const [at, line] of body.split(/\r?\n/).entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || /^\s*>/.test(line)) continue;
    const bare = line.trimStart();
    const item = /^[-*+]\s/.test(bare) ? bare.slice(1).trim() || undefined : undefined;
    const found = item === undefined ? [] : itemOf(item);
    for (const one of found.length > 0 ? found : linksOf(line)) yield { ...one, number: at + 1 };
  }
}

const itemOf = (item: string): readonly NoteLine[] => {
  const relation = relationOf(item);
  if (relation !== null) return [relation];
  const [, category = '', text = ''] = OBSERVATION.exec(item) ?? [];
  if (text !== '' && !TASK.test(item) && !TIME.test(category)) {
    return [{ kind: 'observation', category: category.trim(), text }, ...linksOf(text)];
  }
  const isPlain = !TASK.test(item) && !item.startsWith('[[') && HASHTAG.test(item);
  return isPlain ? [{ kind: 'observation', category: 'note', text: item }, ...linksOf(item)] : [];
};

/**
 * Reads `type [[Target]] (context)`, with quotes around a type with spaces. Returns null for a line with more text,
 * which is a sentence with a link.
 */
const relationOf = (item: string): NoteLine | null => {
  const start = item.indexOf('[[');
  const end = item.indexOf(']]', start);
  if (start <= 0 || end < 0) return null;
  const before = item.slice(0, start).trim();
  const quoted = /^(["'])([^"']+)\1$/.exec(before)?.[2]?.trim();
  const type = quoted ?? (/^[^\s[\]]+$/.test(before) ? before : undefined);
  const after = item.slice(end + 2).trim();
  const target = targetOf(item.slice(start + 2, end));
  if (type === undefined || target === '' || !(after === '' || /^\([^()]*\)$/.test(after))) return null;
  return { kind: 'relation', type, target };
};

const linksOf = (line: string): NoteLine[] => {
  const links: NoteLine[] = [];
  let end = 0;
  for (let start = line.indexOf('[['); start >= 0; start = line.indexOf('[[', start + 2)) {
    if (end < start) end = line.indexOf(']]', start);
    if (end < 0) break;
    if (end - start > MAX_TARGET) continue;
    const target = targetOf(line.slice(start + 2, end));
    if (target !== '') links.push({ kind: 'relation', type: 'links_to', target });
  }
  return links;
};

/** The link target, without its display text after `|` and its heading after `#`. */
const targetOf = (link: string): string => (link.split('|')[0]?.split('#')[0] ?? '').trim();
