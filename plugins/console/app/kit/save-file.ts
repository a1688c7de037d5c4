import { later } from './platform.ts';

const KEPT_MS = 60_000;

/** Gives the reader a file to keep. It never leaves the browser. */
export const saveFile = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser may read it only after the click.
  later(KEPT_MS, () => URL.revokeObjectURL(address));
};

/** Reads a reply to its end, telling how many bytes have come. */
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
