/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?/gy;

/** The samples of a text in the format of Prometheus. Throws for a line that is neither a comment nor a sample. */
export const parseScrape = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of a scrape: ${line}`);
    const pairs = [...labels.matchAll(LABEL)];
    if (pairs.map(([pair]) => pair).join('') !== labels) throw new Error(`labels that cannot be read: ${line}`);
    return [{ name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) }];
  });

/** Returns the value of the only sample with this name and at least these labels. Undefined if there is none. */
export const sampleOf = (
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = parseScrape(text).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`several samples of ${name} fit`);
  return found[0]?.value;
};
