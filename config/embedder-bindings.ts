import { createEarlierEmbedders } from '../adapters/embedder/earlier-embedders.ts';
import type { AdapterBinding } from '../kernel/boot/kernel.ts';
import { type AdapterParts, EarlierEmbedders, Embedder, Transport } from '../ports/ports.ts';
import type { ChosenAdapters } from './choose-adapters.ts';

/** The embedder of the node and former ones, made when a plugin requires them. */
export const embedderBindings = (
  { embedder, previousEmbedder }: Pick<ChosenAdapters, 'embedder' | 'previousEmbedder'>,
  parts: AdapterParts,
): readonly AdapterBinding[] => [
  {
    ref: Embedder,
    create: (get) => embedder.adapter.create(embedder.settings, { ...parts, transport: get(Transport) }),
    close: (made) => (made as Embedder).close?.(),
  },
  {
    ref: EarlierEmbedders,
    create: async (get) => {
      if (previousEmbedder === undefined) return createEarlierEmbedders([]);
      const { adapter, settings } = previousEmbedder;
      return createEarlierEmbedders([await adapter.create(settings, { ...parts, transport: get(Transport) })]);
    },
    close: (made) => (made as EarlierEmbedders).close?.(),
  },
];
