import type { Clock, EarlierEmbedders, Embedder, PluginTables } from '../../../kernel/plugin-api.ts';
import { TEXT_VERSION } from '../embedding/embed-text.ts';
import { GenerationStore } from './generation-store.ts';
import type { VectorSide } from './vector-side.ts';
import { type VectorFormat, VectorStore } from './vector-store.ts';

export interface VectorNeeds {
  readonly embedder: Embedder;
  readonly earlier: EarlierEmbedders | undefined;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly format: VectorFormat;
}

export const openVectors = async ({ embedder, earlier, tables, clock, format }: VectorNeeds): Promise<VectorSide> => {
  const generations = new GenerationStore({ tables, embedder, textVersion: TEXT_VERSION, clock, format });
  return {
    generations,
    store: new VectorStore(tables, format),
    embedderOf: (id) => (id === embedder.id ? embedder : earlier?.find(id)),
    goal: await generations.missingUpTo(),
  };
};
