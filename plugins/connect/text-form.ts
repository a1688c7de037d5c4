/** The formatting of a text file, which an edit preserves. */
export interface TextForm {
  /** The text without a byte order mark. */
  readonly body: string;
  readonly bom: '' | '\uFEFF';
  readonly eol: '\n' | '\r\n';
}

export const textForm = (text: string): TextForm => {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  return { body, bom, eol: /\r\n/.test(body) ? '\r\n' : '\n' };
};
