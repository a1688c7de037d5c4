import { later } from './platform.ts';

const KEPT_MS = 60_000;

/** Saves a file on the reader's device, without sending it anywhere. */
export const saveFile = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser may read the file after the click returns.
  later(KEPT_MS, () => URL.revokeObjectURL(address));
};

/** Saves what the page has read from the node, as indented JSON. */
export const saveJson = (content: unknown, name: string): void =>
  saveFile(new Blob([JSON.stringify(content, undefined, 2)], { type: 'application/json' }), name);

/** Reads a whole reply, and reports the number of bytes so far. */
export const readReply = async (response: Response, onBytes: (bytes: number) => void): Promise<Blob> => {
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  const reader = response.body?.getReader();
  if (reader === undefined) return response.blob();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Blob(parts, { type });
    parts.push(value);
    bytes += value.byteLength;
    onBytes(bytes);
  }
};
