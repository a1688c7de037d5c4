/** A piece of a page that is markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[];

/** Markup in which every text that is filled in is escaped; lists are joined. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((page, text, at) => `${page}${textOf(parts[at - 1] ?? '')}${text}`));

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(textOf).join('') : escaped(String(part));
};

/** Fit for an element and for an attribute in double quotes. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
