import type { BodyOf } from '../../../../../client/client.ts';

export type Declaration = BodyOf<'POST /v1/federation/peers'>;

/** Spells a declaration as one word in base64url, which mail and chat programs carry without a change. */
export const textOfDeclaration = (declaration: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(declaration))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Reads a copied text, or the JSON of a file; undefined for any other text. The node checks the members. */
export const readDeclaration = (text: string): Declaration | undefined => {
  try {
    const value: unknown = JSON.parse(text.includes('{') ? text : decoded(text));
    return typeof value === 'object' && value !== null ? (value as Declaration) : undefined;
  } catch {
    return undefined;
  }
};

const decoded = (text: string): string => {
  const bytes = atob(text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
};
