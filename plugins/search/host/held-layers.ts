import { createCodeSpace } from '../codes/code-space.ts';
import type { CodeTable } from '../codes/code-table.ts';
import type { MemoryIndex } from '../index/memory-index.ts';
import { UnusableSnapshot } from '../snapshot/byte-source.ts';
import type { OpenFile } from '../snapshot/snapshot-extents.ts';
import type { VectorLayer } from '../vectors/vector-layer.ts';
import type { StoredVector } from '../vectors/vector-store.ts';
import type { LayerWanted, OpenedLayer } from './index-host.ts';
import type { ReadLayer } from './read-layer.ts';

export interface HeldLayer {
  readonly name: string;
  readonly embedder: string;
  readonly layer: VectorLayer<CodeTable>;
  /** All vectors stored up to this position are in the layer, except those of facts that the index did not have. */
  seq: number;
  /** True if the layer lacks vectors because a newer layer has vectors of the same facts. */
  isThinned: boolean;
  /** The part of the layer that a file holds unchanged. */
  written: OpenFile | undefined;
}

/**
 * The vectors of an index, in layers. Each fact is only in the newest of its layers, so that memory does not grow with
 * the number of layers.
 */
export class HeldLayers {
  readonly #index: MemoryIndex;
  readonly #layers = new Map<number, HeldLayer>();
  #served: readonly number[] = [];
  #opened = 0;
  /** The vectors of a snapshot, until a generation claims or discards them. */
  #kept: ReadLayer | undefined;

  constructor(index: MemoryIndex, kept?: ReadLayer) {
    this.#index = index;
    this.#kept = kept;
  }

  /** The first served layer. */
  get main(): HeldLayer | undefined {
    return this.#layers.get(this.#served[0] ?? 0);
  }

  /** The number of vectors in the served layers. */
  get size(): number {
    return this.#servedLayers().reduce((sum, { layer }) => sum + sizeOf(layer), 0);
  }

  async open(wanted: LayerWanted): Promise<OpenedLayer> {
    const { name, embedder } = wanted;
    for (const number of this.#served) {
      const known = this.#layers.get(number) as HeldLayer;
      if (known.name === name && !known.isThinned) return { layer: number, seq: known.seq };
    }
    const { problem, ...filled } = await this.#fill(wanted);
    this.#opened += 1;
    this.#layers.set(this.#opened, { name, embedder, isThinned: false, ...filled });
    return { layer: this.#opened, seq: filled.seq, ...(problem === undefined ? {} : { problem }) };
  }

  async #fill({ name, dimensions }: LayerWanted): Promise<Filled> {
    const empty = (): Filled => {
      const layer = this.#index.createVectors<CodeTable>(createCodeSpace({ dimensions }));
      return { layer, seq: 0, written: undefined };
    };
    const kept = this.#kept;
    if (kept?.vectors.embedder !== name) return empty();
    this.#kept = undefined;
    const { file, bytes, key, seq } = kept.vectors;
    try {
      const { codes, tables, frames } = await kept.read;
      if (codes.dimensions !== dimensions) throw new UnusableSnapshot('its vectors have other dimensions');
      // An unfinished write may have left bytes behind the valid ones. Other bytes there would be encrypted by the same
      // part of the key stream, so an encrypted file gets no further frames.
      const written = key === undefined ? { file, bytes, frames } : undefined;
      return { layer: this.#index.createVectors(codes, tables), seq, written };
    } catch (problem) {
      return { ...empty(), problem };
    }
  }

  serve(layers: readonly number[]): void {
    this.#served = layers.filter((number) => this.#layers.has(number));
    for (const number of this.#layers.keys()) if (!layers.includes(number)) this.#layers.delete(number);
    this.#index.serveVectors(...this.#servedLayers());
    this.#kept?.giveUp();
    this.#kept = undefined;
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

type Filled = Pick<HeldLayer, 'layer' | 'seq' | 'written'> & { readonly problem?: unknown };

const sizeOf = ({ tables }: VectorLayer<CodeTable>): number =>
  tables.reduce((sum, table) => sum + (table?.size ?? 0), 0);
