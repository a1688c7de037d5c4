import { bytesOfFile } from '../snapshot/byte-source.ts';
import type { VectorExtent } from '../snapshot/snapshot-extents.ts';
import { type ReadVectors, readVectors } from '../snapshot/vector-snapshot.ts';

/** Reads the vectors of a snapshot in parallel with its words, because neither needs the other. */
export class ReadLayer {
  readonly vectors: VectorExtent;
  readonly read: Promise<ReadVectors>;
  #isWanted = true;

  constructor(vectors: VectorExtent) {
    this.vectors = vectors;
    this.read = this.#read();
    // Prevents an unhandled rejection if no caller awaits the read.
    this.read.catch(() => {});
  }

  /** Stops the read. */
  giveUp(): void {
    this.#isWanted = false;
  }

  async #read(): Promise<ReadVectors> {
    return readVectors(await bytesOfFile(this.vectors), () => this.#isWanted);
  }
}
