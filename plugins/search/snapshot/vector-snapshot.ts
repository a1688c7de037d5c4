import type { CodeTable } from '../codes/code-table.ts';
import type { VectorLayer } from '../vectors/vector-layer.ts';
import { type ByteSource, UnusableSnapshot } from './byte-source.ts';
import { FrameReader, type FrameWriter } from './snapshot-frames.ts';

/**
 * Writes blocks of the vectors of an index down, each in a frame with the numbers of its part and of the block: all of
 * them, or those that have changed since they were last written. They may go on changing: what is missed comes again
 * with the feed of vectors.
 */
export function* writeVectors(
  layer: Pick<VectorLayer<CodeTable>, 'tables' | 'dimensions' | 'checksum'>,
  which: 'all' | 'changed',
  writer: FrameWriter,
): Generator<Uint8Array> {
  const { tables, dimensions } = layer;
  const wanted = [...tables.entries()].flatMap(([part, table]) =>
    table === undefined ? [] : [{ part, table, blocks: table.takeBlocks(which) }],
  );
  const sum = (content: Uint8Array) => layer.checksum(content);
  if (which === 'all') yield writer.json({ dimensions });
  for (const { part, table, blocks } of wanted) {
    for (const block of blocks) yield writer.frame(table.bytesOf(block), [part, block], sum);
  }
}

/**
 * Fills an empty layer; of several frames of one block the last one counts. Returns the number of frames. Throws, and
 * leaves the layer to be thrown away, when they are not what was written for such a layer.
 */
export const readVectors = async (
  source: ByteSource,
  layer: Pick<VectorLayer<CodeTable>, 'tableOf' | 'dimensions' | 'checksum'>,
): Promise<number> => {
  const reader = new FrameReader(source);
  try {
    const { dimensions } = await reader.json<{ readonly dimensions: number }>();
    if (dimensions !== layer.dimensions) throw new UnusableSnapshot('its vectors have other dimensions');
    const sum = (content: Uint8Array) => layer.checksum(content);
    while (!reader.isAtEnd) {
      let restored = (): void => {};
      await reader.frame((length, [part, block]) => {
        if (part >= MOST_PARTS) throw new UnusableSnapshot('it is damaged');
        const table = layer.tableOf(part);
        restored = () => table.restored(block);
        return table.roomFor(block, length);
      }, sum);
      restored();
    }
    return reader.next;
  } finally {
    await reader.close();
  }
};

/** A number above this one is damage, and is not allocated. */
const MOST_PARTS = 2 ** 24;
