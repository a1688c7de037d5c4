/** A text file apart from what its editor chose for it: both are kept when the text is changed. */
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
