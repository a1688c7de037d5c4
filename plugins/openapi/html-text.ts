import { escapedHtml } from '../../kernel/internal-api.ts';

/** A piece of a page that is already markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[];

/** Makes markup from a template. Escapes every inserted text, and joins lists. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((page, text, at) => `${page}${textOf(parts[at - 1] ?? '')}${text}`));

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(textOf).join('') : escapedHtml(String(part));
};
