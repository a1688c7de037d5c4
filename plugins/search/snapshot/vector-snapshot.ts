import { type CodeSpace, createCodeSpace } from '../codes/code-space.ts';
import type { CodeTable } from '../codes/code-table.ts';
import type { VectorLayer } from '../vectors/vector-layer.ts';
import { type ByteSource, UnusableSnapshot } from './byte-source.ts';
import { FrameReader, type FrameWriter } from './snapshot-frames.ts';

/** The maximum size of a frame of consecutive blocks in bytes. Large frames need few reads. */
const RUN_BYTES = 8 * 1024 * 1024;

/**
 * Writes blocks of vectors in frames: all blocks, or those changed since the last write. Each frame has the numbers of
 * its part and of its first block. Blocks may change meanwhile, because the feed of vectors repeats missed changes.
 */
export function* writeVectors(
  { tables, dimensions }: Pick<VectorLayer<CodeTable>, 'tables' | 'dimensions'>,
  which: 'all' | 'changed',
  writer: FrameWriter,
): Generator<Uint8Array> {
  const wanted = [...tables.entries()].flatMap(([part, table]) =>
    table === undefined ? [] : [{ part, table, blocks: table.takeBlocks(which) }],
  );
  if (which === 'all') yield writer.json({ dimensions, bits: BITS });
  for (const { part, table, blocks } of wanted) {
    for (let at = 0; at < blocks.length; ) {
      const first = blocks[at] as number;
      const run: Uint8Array[] = [];
      let bytes = 0;
      do {
        const block = table.bytesOf(blocks[at] as number);
        run.push(block);
        bytes += block.length;
        at += 1;
      } while (blocks[at] === first + run.length && bytes < RUN_BYTES);
      yield writer.frame(run, [part, first]);
    }
  }
}

/** The bits of a component. */
const BITS = 3;

export interface ReadVectors {
  readonly codes: CodeSpace;
  /** The tables, by the number of their part. */
  readonly tables: readonly (CodeTable | undefined)[];
  readonly frames: number;
}

/**
 * Reads the output of `writeVectors`. If a block occurs several times, the last one counts. Does not need the index of
 * the vectors. Throws if the file is damaged, or when `isWanted` returns false.
 */
export const readVectors = async (source: ByteSource, isWanted = (): boolean => true): Promise<ReadVectors> => {
  const reader = new FrameReader(source);
  try {
    const { dimensions, bits } = await reader.json<{ readonly dimensions: number; readonly bits?: number }>();
    if (bits !== BITS) throw new UnusableSnapshot('its vectors have another form');
    const codes = createCodeSpace({ dimensions });
    codes.reserve(source.left);
    const tables: CodeTable[] = [];
    while (!reader.isAtEnd) {
      if (!isWanted()) throw new UnusableSnapshot('nobody wants it any more');
      let place: readonly [part: number, first: number] = [0, 0];
      const blocks = await reader.frameInto((length, tag) => {
        const [part, first] = tag;
        if (part >= MOST_PARTS) throw new UnusableSnapshot('it is damaged');
        place = tag;
        tables[part] ??= codes.createTable();
        return tables[part].roomFor(first, length);
      });
      tables[place[0]]?.restored(place[1], blocks.length);
    }
    return { codes, tables, frames: reader.next };
  } finally {
    await reader.close();
  }
};

/** A higher part number means damage, and must not cause an allocation. */
const MOST_PARTS = 2 ** 24;
