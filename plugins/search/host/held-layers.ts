import { type CodeSpace, createCodeSpace } from '../codes/code-space.ts';
import type { CodeTable } from '../codes/code-table.ts';
import type { MemoryIndex } from '../index/memory-index.ts';
import { bytesOfFile } from '../snapshot/byte-source.ts';
import type { OpenFile } from '../snapshot/kept-files.ts';
import { readVectors } from '../snapshot/vector-snapshot.ts';
import type { VectorLayer } from '../vectors/vector-layer.ts';
import type { StoredVector } from '../vectors/vector-store.ts';
import type { LayerWanted, OpenedLayer } from './index-host.ts';

export interface HeldLayer {
  readonly name: string;
  readonly embedder: string;
  readonly layer: VectorLayer<CodeTable>;
  /** Everything up to it is in, but for facts that the index did not have. */
  seq: number;
  /** Whether it lacks vectors because a newer layer has others of these facts. */
  isThinned: boolean;
  /** What of it lies in a file, less what has changed since. */
  written: OpenFile | undefined;
}

/**
 * The vectors of an index: each fact is in the newest of its layers alone, so that memory does not grow with their
 * number.
 */
export class HeldLayers {
  readonly #index: MemoryIndex;
  readonly #layers = new Map<number, HeldLayer>();
  #served: readonly number[] = [];
  #opened = 0;

  constructor(index: MemoryIndex) {
    this.#index = index;
  }

  /** The first of those that are served. */
  get main(): HeldLayer | undefined {
    return this.#layers.get(this.#served[0] ?? 0);
  }

  /** Vectors in those that are served. */
  get size(): number {
    return this.#servedLayers().reduce((sum, { layer }) => sum + sizeOf(layer), 0);
  }

  async open({ name, embedder, dimensions, kept }: LayerWanted): Promise<OpenedLayer> {
    for (const number of this.#served) {
      const known = this.#layers.get(number) as HeldLayer;
      if (known.name === name && !known.isThinned) return { layer: number, seq: known.seq };
    }
    const codes: CodeSpace = createCodeSpace({ dimensions });
    let layer = this.#index.createVectors<CodeTable>(codes);
    let seq = 0;
    let written: OpenFile | undefined;
    let problem: unknown;
    if (kept !== undefined) {
      try {
        const { file, bytes } = kept;
        written = { file, bytes, frames: await readVectors(await bytesOfFile(file, bytes), layer) };
        seq = kept.seq;
      } catch (error) {
        // A layer that was filled in part is thrown away.
        layer = this.#index.createVectors<CodeTable>(createCodeSpace({ dimensions }));
        problem = error;
      }
    }
    this.#opened += 1;
    this.#layers.set(this.#opened, { name, embedder, layer, seq, isThinned: false, written });
    return { layer: this.#opened, seq, ...(problem === undefined ? {} : { problem }) };
  }

  serve(layers: readonly number[]): void {
    this.#served = layers.filter((number) => this.#layers.has(number));
    for (const number of this.#layers.keys()) if (!layers.includes(number)) this.#layers.delete(number);
    this.#index.serveVectors(...this.#servedLayers());
  }

  set(number: number, vectors: readonly StoredVector[]): void {
    const held = this.#layers.get(number);
    if (held === undefined) throw new RangeError('a layer of vectors that was given up cannot grow');
    for (const vector of vectors) this.#set(number, held, vector);
    held.seq = vectors.at(-1)?.seq ?? held.seq;
  }

  #set(number: number, held: HeldLayer, { fact, code, scale }: StoredVector): void {
    const at = this.#served.indexOf(number);
    const served = this.#servedLayers();
    if (at > 0 && served.slice(0, at).some(({ layer }) => layer.has(fact))) {
      held.isThinned = true;
      return;
    }
    if (!held.layer.set(fact, code, scale) || at < 0) return;
    for (const older of served.slice(at + 1)) if (older.layer.delete(fact)) older.isThinned = true;
  }

  #servedLayers(): HeldLayer[] {
    return this.#served.map((number) => this.#layers.get(number) as HeldLayer);
  }
}

const sizeOf = ({ tables }: VectorLayer<CodeTable>): number =>
  tables.reduce((sum, table) => sum + (table?.size ?? 0), 0);
