import type { CodeTable } from '../codes/code-table.ts';
import type { VectorLayer } from '../vectors/vector-layer.ts';
import { SNAPSHOT_END } from './snapshot-format.ts';
import { FrameReader, FrameWriter, UnusableSnapshot } from './snapshot-frames.ts';

const END_OF_PART = new Uint8Array(0);

/**
 * Writes the vectors of an index down, part by part. They may go on growing: what is missed comes again with the feed
 * of vectors.
 */
export function* writeVectors({ tables }: Pick<VectorLayer<CodeTable>, 'tables'>): Generator<Uint8Array> {
  const writer = new FrameWriter();
  for (const [part, table] of tables.entries()) {
    if (table === undefined) continue;
    yield writer.json(part);
    for (const chunk of table.serialise()) yield writer.frame(chunk);
    yield writer.frame(END_OF_PART);
  }
  yield writer.json(SNAPSHOT_END);
}

/**
 * Fills an empty layer. Throws, and leaves the layer to be thrown away, when the chunks are not what was written for
 * such a layer.
 */
export const readVectors = async (
  chunks: AsyncIterable<Uint8Array>,
  layer: Pick<VectorLayer<CodeTable>, 'tableOf'>,
): Promise<void> => {
  const reader = new FrameReader(chunks);
  try {
    for (;;) {
      const part = await reader.json<unknown>();
      if (part === SNAPSHOT_END) return;
      if (typeof part !== 'number') throw new UnusableSnapshot('it is damaged');
      const table = layer.tableOf(part);
      for (let chunk = await reader.frame(); chunk.length > 0; chunk = await reader.frame()) table.restoreChunk(chunk);
    }
  } finally {
    await reader.close();
  }
};
