import type { ObjectContent } from '../../ports/ports.ts';

/** Cuts content into pieces of one size, of which the last may be shorter. Empty content is one empty piece. */
export async function* piecesOf(content: ObjectContent, size: number): AsyncGenerator<Buffer> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  let isAny = false;
  for await (const chunk of content.read()) {
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + size - bytes);
      gathered.push(part);
      bytes += part.length;
      from += part.length;
      if (bytes < size) continue;
      yield Buffer.concat(gathered);
      isAny = true;
      gathered = [];
      bytes = 0;
    }
  }
  if (bytes > 0 || !isAny) yield Buffer.concat(gathered);
}
